// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/** The span of a sampled message: its publish or its delivery; without error, error is empty. */
public record SpanRow(
    boolean publish, Ids ids, Client client, Message message, Times times, String error) {
  /** Trace Context ids: 32, 16 and 16 hexadecimal digits, the parent's empty for none. */
  public record Ids(String traceId, String spanId, String parentSpanId) {}

  /** The Kafka client; its group is empty for a publish. */
  public record Client(String id, String group) {}

  /** The message; partition and offset are -1 if unknown, bytes those of its value. */
  public record Message(String topic, int partition, long offset, int bytes) {}

  /** Intended send, send() or return of poll(), and acknowledgement or end of processing, µs. */
  public record Times(long intendedMicros, long startMicros, long endMicros) {}
}
