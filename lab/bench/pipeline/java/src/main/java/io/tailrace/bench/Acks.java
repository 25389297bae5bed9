// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

/**
 * Acknowledged messages of one producer, the same ones for the same seed. A cursor: {@link #next}
 * moves to the next message and allocates nothing. One thread.
 */
interface Acks {
  int PARTITIONS = 16;
  int PAYLOAD_BYTES = 1024;

  void next();

  /** The topic's number, from 0; below {@link MessageAttributes#TOPICS}. */
  int topic();

  int partition();

  long offset();

  /** µs since 1970. */
  long intendedMicros();

  /** Actual minus intended send, µs. */
  long publishDelayMicros();

  /** µs since 1970. */
  long ackMicros();

  /** Shape {@code keyless} or {@code keyed}, the words of a round. */
  static Acks of(String shape, long seed, double messagesPerSecond, long startMicros) {
    return switch (shape) {
      case "keyless" -> new SyntheticAcks(seed, messagesPerSecond, startMicros);
      case "keyed" -> new KeyedAcks(seed, messagesPerSecond, startMicros);
      default -> throw new IllegalArgumentException("no events of shape " + shape);
    };
  }
}
