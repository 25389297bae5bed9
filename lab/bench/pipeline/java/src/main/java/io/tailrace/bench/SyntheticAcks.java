// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import java.util.SplittableRandom;

/**
 * Acknowledgements as one Kafka producer at a constant rate sees them, the same ones for the same
 * seed. Its shape follows a live run: 16 partitions, a batch goes to one partition and is answered
 * at once, its callbacks 300 ns apart; a batch is full at 15 messages of 1 KiB, and one in eight is
 * cut short by the linger time; the pacer is late now and then and catches up slot by slot.
 *
 * <p>A cursor: {@link #next} moves to the next message and allocates nothing. One thread.
 */
final class SyntheticAcks {
  static final int PARTITIONS = 16;
  static final int PAYLOAD_BYTES = 1024;
  private static final int BATCH = 15;
  private static final long CALLBACK_NANOS = 300;
  private static final double SERVICE_NANOS = 1_200_000;
  private static final double LATE_NANOS = 60_000;
  private static final long SPIKE_NANOS = 20_000_000;

  private final SplittableRandom random;
  private final int firstPartition;
  private final int partitions;
  private final long startNanos;
  private final double intervalNanos;
  private final long[] offsets = new long[PARTITIONS];

  private long message = -1;
  private int left;
  private long lateNanos;
  private long ackNanos;
  private long intendedNanos;
  private int partition;

  /**
   * @param seed same seed, same messages
   * @param messagesPerSecond rate of the producer
   * @param startMicros intended send of the first message, µs since 1970
   */
  SyntheticAcks(long seed, double messagesPerSecond, long startMicros) {
    this(seed, messagesPerSecond, startMicros, 0, PARTITIONS);
  }

  /** One of several producers: it writes to {@code partitions} from {@code firstPartition} on. */
  SyntheticAcks(
      long seed, double messagesPerSecond, long startMicros, int firstPartition, int partitions) {
    random = new SplittableRandom(seed);
    this.firstPartition = firstPartition;
    this.partitions = partitions;
    startNanos = startMicros * 1_000;
    intervalNanos = 1e9 / messagesPerSecond;
  }

  void next() {
    message++;
    if (left == 0) {
      nextBatch();
    }
    left--;
    intendedNanos = startNanos + (long) (message * intervalNanos);
    lateNanos = Math.max(1_000 + (random.nextInt() & 2_047), lateNanos - (long) intervalNanos);
    ackNanos += CALLBACK_NANOS;
    offsets[partition]++;
  }

  private void nextBatch() {
    partition = firstPartition + random.nextInt(partitions);
    left = random.nextInt(8) == 0 ? 1 + random.nextInt(BATCH) : BATCH;
    if (random.nextInt(8) == 0) {
      lateNanos += (long) (-Math.log(1 - random.nextDouble()) * LATE_NANOS);
    }
    double service = SERVICE_NANOS * Math.exp(0.4 * random.nextGaussian());
    long spike = random.nextInt(2_000) == 0 ? SPIKE_NANOS : 0;
    long sent = startNanos + (long) ((message + left - 1) * intervalNanos);
    ackNanos = Math.max(ackNanos + 2 * CALLBACK_NANOS, sent + (long) service + spike);
  }

  int partition() {
    return partition;
  }

  long offset() {
    return offsets[partition] - 1;
  }

  long intendedMicros() {
    return intendedNanos / 1_000;
  }

  /** Actual minus intended send, µs. */
  long publishDelayMicros() {
    return lateNanos / 1_000;
  }

  long ackMicros() {
    return ackNanos / 1_000;
  }
}
