// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import java.util.Arrays;

/**
 * How long one thread's calls and bursts took. Logarithmic buckets, 8 to a doubling; allocates
 * nothing while it counts.
 */
final class Stall {
  private static final int STEPS = 8;

  private final long[] calls = new long[64 * STEPS];
  private long events;
  private long maxCallNanos;
  private long maxBurstNanos;
  private long maxBurstCpuNanos;
  private long maxLateNanos;

  void call(long nanos) {
    events++;
    calls[bucket(nanos)]++;
    if (nanos > maxCallNanos) {
      maxCallNanos = nanos;
    }
  }

  void burst(long nanos, long cpuNanos) {
    maxBurstNanos = Math.max(maxBurstNanos, nanos);
    maxBurstCpuNanos = Math.max(maxBurstCpuNanos, cpuNanos);
  }

  /** A burst began that much after its slot. */
  void late(long nanos) {
    maxLateNanos = Math.max(maxLateNanos, nanos);
  }

  void add(Stall other) {
    late(other.maxLateNanos);
    events += other.events;
    maxCallNanos = Math.max(maxCallNanos, other.maxCallNanos);
    burst(other.maxBurstNanos, other.maxBurstCpuNanos);
    Arrays.setAll(calls, i -> calls[i] + other.calls[i]);
  }

  long events() {
    return events;
  }

  long maxCallNanos() {
    return maxCallNanos;
  }

  long maxLateNanos() {
    return maxLateNanos;
  }

  long maxBurstNanos() {
    return maxBurstNanos;
  }

  /** Longest that the thread itself worked in one burst; what is above it was waiting. */
  long maxBurstCpuNanos() {
    return maxBurstCpuNanos;
  }

  /** Calls longer than this, rounded up to a bucket. */
  long callsAbove(long nanos) {
    return Arrays.stream(calls, bucket(nanos) + 1, calls.length).sum();
  }

  /** Upper bound of the bucket that holds the quantile. */
  long quantileNanos(double quantile) {
    long rank = (long) Math.ceil(quantile * events);
    long seen = 0;
    for (int i = 0; i < calls.length; i++) {
      seen += calls[i];
      if (seen >= rank) {
        return lowerBound(i + 1);
      }
    }
    return maxCallNanos;
  }

  private static int bucket(long nanos) {
    if (nanos < STEPS) {
      return (int) Math.max(0, nanos);
    }
    int exponent = 63 - Long.numberOfLeadingZeros(nanos);
    return (exponent - 2) * STEPS + (int) (nanos >>> (exponent - 3)) - STEPS;
  }

  private static long lowerBound(int bucket) {
    if (bucket < STEPS) {
      return bucket;
    }
    int exponent = bucket / STEPS + 2;
    return (long) (STEPS + bucket % STEPS) << (exponent - 3);
  }
}
