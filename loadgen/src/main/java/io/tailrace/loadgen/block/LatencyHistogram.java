// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import java.util.Arrays;

/**
 * Counts latencies in log-linear buckets of 7 mantissa bits: the bucket of a positive value is the
 * top 16 bits of the value as a 32-bit float, so its midpoint is at most 0.4 % off; negative values
 * are bucketed by their size. The same buckets as the table rollup_1s. Memory grows with the
 * largest value seen: 1 KiB per doubling. Not thread-safe.
 */
public final class LatencyHistogram {
  /** Bucket of 1 µs; those of 2, 4, 8 µs … follow 128 apart. */
  private static final int BUCKET_OF_ONE = 127 << 7;

  private static final long[] NONE = {};

  private long[] positive = NONE;
  private long[] negative = NONE;
  private long zero;
  private long count;
  private long positiveSum;

  /** Counts one latency, µs. */
  public void add(long micros) {
    count++;
    if (micros > 0) {
      int slot = slot(micros);
      if (slot >= positive.length) {
        positive = grown(positive, slot);
      }
      positive[slot]++;
      positiveSum += micros;
    } else if (micros == 0) {
      zero++;
    } else {
      int slot = slot(micros == Long.MIN_VALUE ? Long.MAX_VALUE : -micros);
      if (slot >= negative.length) {
        negative = grown(negative, slot);
      }
      negative[slot]++;
    }
  }

  private static int slot(long micros) {
    return (Float.floatToRawIntBits((float) micros) >>> 16) - BUCKET_OF_ONE;
  }

  private static long[] grown(long[] counts, int slot) {
    return Arrays.copyOf(counts, (slot | 127) + 1);
  }

  static double midpoint(int slot) {
    return Float.intBitsToFloat((slot + BUCKET_OF_ONE) << 16 | 1 << 15);
  }

  /** The midpoint in whole µs, rounded down, so that a bucket of 1 µs gives its own value. */
  private static long wholeMicros(int slot) {
    return (long) midpoint(slot);
  }

  /** Adds ({@code factor} 1) or subtracts (−1) the counts of another histogram. */
  void merge(LatencyHistogram other, int factor) {
    positive = merged(positive, other.positive, factor);
    negative = merged(negative, other.negative, factor);
    zero += factor * other.zero;
    count += factor * other.count;
    positiveSum += factor * other.positiveSum;
  }

  /** What was counted since an earlier state of this histogram. */
  public LatencyHistogram since(LatencyHistogram earlier) {
    LatencyHistogram difference = new LatencyHistogram();
    difference.merge(this, 1);
    difference.merge(earlier, -1);
    return difference;
  }

  private static long[] merged(long[] counts, long[] added, int factor) {
    long[] sum = counts.length < added.length ? Arrays.copyOf(counts, added.length) : counts;
    for (int i = 0; i < added.length; i++) {
      sum[i] += factor * added[i];
    }
    return sum;
  }

  public long count() {
    return count;
  }

  /** Number of latencies of 0 µs and below. */
  public long countNotPositive() {
    return count - Arrays.stream(positive).sum();
  }

  /** Sum of the latencies above 0, µs. */
  public long positiveSum() {
    return positiveSum;
  }

  @FunctionalInterface
  public interface BucketVisitor {
    void bucket(double midpointMicros, long events);
  }

  /** Visits the non-empty buckets above 0 in ascending order. */
  public void forEachPositive(BucketVisitor visitor) {
    for (int slot = 0; slot < positive.length; slot++) {
      if (positive[slot] != 0) {
        visitor.bucket(midpoint(slot), positive[slot]);
      }
    }
  }

  /** The midpoint of the bucket of quantile {@code q}, 0 … 1, µs; 0 if no latency was counted. */
  public long quantile(double q) {
    long rank = Math.max(1, (long) Math.ceil(q * count));
    long seen = 0;
    for (int slot = negative.length - 1; slot >= 0; slot--) {
      seen += negative[slot];
      if (seen >= rank) {
        return -wholeMicros(slot);
      }
    }
    seen += zero;
    if (seen >= rank) {
      return 0;
    }
    for (int slot = 0; slot < positive.length; slot++) {
      seen += positive[slot];
      if (seen >= rank) {
        return wholeMicros(slot);
      }
    }
    return 0;
  }
}
