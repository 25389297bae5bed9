// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import java.util.SplittableRandom;

/**
 * Acknowledgements as one Kafka producer at a constant rate sees them, the same ones for the same
 * seed. Its shape follows a live run: 16 partitions, a batch goes to one partition and is answered
 * at once, its callbacks 300 ns apart; a batch is full at 15 messages of 1 KiB, and one in eight is
 * cut short by the linger time; the pacer is late now and then and catches up slot by slot.
 *
 * <p>All go to one topic.
 */
final class SyntheticAcks implements Acks {
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

  @Override
  public void next() {
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

  @Override
  public int topic() {
    return 0;
  }

  @Override
  public int partition() {
    return partition;
  }

  @Override
  public long offset() {
    return offsets[partition] - 1;
  }

  @Override
  public long intendedMicros() {
    return intendedNanos / 1_000;
  }

  @Override
  public long publishDelayMicros() {
    return lateNanos / 1_000;
  }

  @Override
  public long ackMicros() {
    return ackNanos / 1_000;
  }
}
