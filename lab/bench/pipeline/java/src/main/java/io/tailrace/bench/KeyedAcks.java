// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Acknowledgements of a producer with keys to several topics: a key's hash chooses the partition,
 * so that the messages of one linger time (1 ms) are spread over all partitions of their topic, a
 * topic per linger time. Each partition's batch is answered at once, its callbacks 300 ns apart,
 * the partitions in an order that changes. Offsets follow each other within a partition; intended
 * sends of a batch have gaps that no two batches share.
 */
final class KeyedAcks implements Acks {
  private static final long LINGER_NANOS = 1_000_000;
  private static final long CALLBACK_NANOS = 300;
  private static final double SERVICE_NANOS = 1_200_000;

  private final SplittableRandom random;
  private final double intervalNanos;
  private final long startNanos;
  private final long[][] offsets = new long[MessageAttributes.TOPICS][PARTITIONS];
  // The messages of one linger time in the order of their answers: intended send and partition.
  private final long[] intended;
  private final int[] partition;
  private final int[] unordered;
  private final int[] counts = new int[PARTITIONS + 1];

  private int at;
  private long message;
  private long ackNanos;
  private long delayNanos;
  private int topic;

  KeyedAcks(long seed, double messagesPerSecond, long startMicros) {
    random = new SplittableRandom(seed);
    intervalNanos = 1e9 / messagesPerSecond;
    startNanos = startMicros * 1_000;
    int most = Math.max(1, (int) (LINGER_NANOS / intervalNanos));
    intended = new long[most];
    partition = new int[most];
    unordered = new int[most];
    at = most - 1;
    topic = MessageAttributes.TOPICS - 1;
  }

  @Override
  public void next() {
    if (++at == intended.length) {
      nextBatches();
    }
    if (at == 0 || partition[at] != partition[at - 1]) {
      ackNanos += random.nextInt(20_000);
    }
    ackNanos += CALLBACK_NANOS;
    offsets[topic][partition[at]]++;
  }

  private void nextBatches() {
    at = 0;
    topic = (topic + 1) % MessageAttributes.TOPICS;
    delayNanos = 1_000 + (random.nextInt() & 32_767);
    int first = random.nextInt(PARTITIONS);
    Arrays.fill(counts, 0);
    for (int i = 0; i < unordered.length; i++) {
      unordered[i] = random.nextInt(PARTITIONS);
      counts[(unordered[i] + first) % PARTITIONS + 1]++;
    }
    for (int i = 0; i < PARTITIONS; i++) {
      counts[i + 1] += counts[i];
    }
    for (int i = 0; i < unordered.length; i++) {
      int place = counts[(unordered[i] + first) % PARTITIONS]++;
      partition[place] = unordered[i];
      intended[place] = startNanos + (long) ((message + i) * intervalNanos);
    }
    message += unordered.length;
    double service = SERVICE_NANOS * Math.exp(0.4 * random.nextGaussian());
    long sent = startNanos + (long) (message * intervalNanos);
    ackNanos = Math.max(ackNanos + 2 * CALLBACK_NANOS, sent + (long) service);
  }

  @Override
  public int topic() {
    return topic;
  }

  @Override
  public int partition() {
    return partition[at];
  }

  @Override
  public long offset() {
    return offsets[topic][partition[at]] - 1;
  }

  @Override
  public long intendedMicros() {
    return intended[at] / 1_000;
  }

  @Override
  public long publishDelayMicros() {
    return delayNanos / 1_000;
  }

  @Override
  public long ackMicros() {
    return ackNanos / 1_000;
  }
}
