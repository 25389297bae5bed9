// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import java.net.URI;

/** One way to bring one event per acknowledged message to ClickHouse. Used by one thread. */
interface EventPath {
  /** The run that a round's events belong to begins. */
  default void begin(String run) {}

  /** One message was acknowledged; called where a Kafka callback would call. */
  void acked(Acks ack);

  /**
   * Sends all that is left and waits for it, as at the end of a run.
   *
   * @return events that this path itself knows it has lost
   */
  long end();

  /**
   * The path of a name: none, log, span, block, client; log-default and span-default: SDK defaults.
   */
  static EventPath of(String name, URI collector) {
    return switch (name) {
      case "none" -> new NoPath();
      case "log" -> new LogPath(collector, SdkQueue.RAISED);
      case "log-default" -> new LogPath(collector, SdkQueue.DEFAULT);
      case "span" -> new SpanPath(collector, SdkQueue.RAISED);
      case "span-default" -> new SpanPath(collector, SdkQueue.DEFAULT);
      case "block" -> new BlockPath(collector);
      case "client" -> new ClientPath(collector);
      default -> throw new IllegalArgumentException("no path " + name);
    };
  }
}
