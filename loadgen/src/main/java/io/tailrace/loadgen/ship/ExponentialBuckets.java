// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.metrics.data.ExponentialHistogramBuckets;
import io.opentelemetry.sdk.metrics.data.ExponentialHistogramPointData;
import io.tailrace.loadgen.block.LatencyHistogram;
import java.util.Arrays;
import java.util.List;

/**
 * Turns our fine buckets of µs into OTLP's exponential ones of seconds: 16 per doubling, 4.4 %
 * wide, because each bucket in use becomes a time series. A fine bucket goes where its midpoint
 * lies. Zero and negative latencies go to the zero bucket, and the sum leaves them out:
 * Prometheus-like stores take neither negative buckets nor sums that fall.
 */
final class ExponentialBuckets {
  static final int SCALE = 4;

  private static final int PER_DOUBLING = 1 << SCALE;
  private static final double MICROS_PER_SECOND = 1e6;

  /** From below 1 µs to above 2^63 µs. */
  private static final int LOWEST = index(0.5 / MICROS_PER_SECOND);

  private static final int COUNT = index(Math.pow(2, 64) / MICROS_PER_SECOND) - LOWEST + 1;

  private ExponentialBuckets() {}

  /** Bucket of a value: bucket i holds values above 2^(i/16) and up to 2^((i+1)/16) seconds. */
  static int index(double seconds) {
    return (int) Math.ceil(Math.log(seconds) / Math.log(2) * PER_DOUBLING) - 1;
  }

  static ExponentialHistogramPointData point(
      LatencyHistogram histogram, Attributes attributes, long startNanos, long nowNanos) {
    Long[] counts = new Long[COUNT];
    Arrays.fill(counts, 0L);
    int[] used = {COUNT, -1};
    histogram.forEachPositive(
        (midpointMicros, events) -> {
          int slot = index(midpointMicros / MICROS_PER_SECOND) - LOWEST;
          counts[slot] += events;
          used[0] = Math.min(used[0], slot);
          used[1] = Math.max(used[1], slot);
        });
    boolean none = used[1] < 0;
    ExponentialHistogramBuckets positive =
        none
            ? empty()
            : ExponentialHistogramBuckets.create(
                SCALE, LOWEST + used[0], List.of(counts).subList(used[0], used[1] + 1));
    return ExponentialHistogramPointData.create(
        SCALE,
        histogram.positiveSum() / MICROS_PER_SECOND,
        histogram.countNotPositive(),
        /* hasMin= */ false,
        0,
        /* hasMax= */ false,
        0,
        positive,
        empty(),
        startNanos,
        nowNanos,
        attributes,
        List.of());
  }

  private static ExponentialHistogramBuckets empty() {
    return ExponentialHistogramBuckets.create(SCALE, 0, List.of());
  }
}
