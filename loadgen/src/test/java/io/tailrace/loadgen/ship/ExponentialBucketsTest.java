// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.metrics.data.ExponentialHistogramPointData;
import io.tailrace.loadgen.block.LatencyHistogram;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExponentialBucketsTest {
  private static ExponentialHistogramPointData point(long... micros) {
    LatencyHistogram histogram = new LatencyHistogram();
    for (long v : micros) {
      histogram.add(v);
    }
    return ExponentialBuckets.point(histogram, Attributes.empty(), 1, 2);
  }

  @Test
  void aBucketContainsTheValuesWithinItsBounds() {
    for (long micros : new long[] {1, 2, 3, 900, 1_000_000, 123_456_789, Long.MAX_VALUE}) {
      ExponentialHistogramPointData point = point(micros);
      List<Long> counts = point.getPositiveBuckets().getBucketCounts();
      assertThat(counts).containsExactly(1L);
      double base = Math.pow(2, Math.pow(2, -point.getScale()));
      double lower = Math.pow(base, point.getPositiveBuckets().getOffset());
      double seconds = micros / 1e6;
      // A fine bucket is 0.8 % wide and is assigned by its midpoint.
      assertThat(seconds).isBetween(lower * 0.99, lower * base * 1.01);
    }
  }

  @Test
  void countsAreContiguousInAscendingOrder() {
    ExponentialHistogramPointData point = point(1_000, 1_000, 2_000, 8_000);
    List<Long> counts = point.getPositiveBuckets().getBucketCounts();
    assertThat(counts).hasSize(3 * 16 + 1);
    assertThat(counts.get(0)).isEqualTo(2);
    assertThat(counts.get(16)).isEqualTo(1);
    assertThat(counts.get(48)).isEqualTo(1);
    assertThat(point.getCount()).isEqualTo(4);
    assertThat(point.getSum()).isCloseTo(0.012, within(1e-12));
  }

  @Test
  void zeroAndNegativeLatenciesAreInTheZeroBucketAndNotInTheSum() {
    ExponentialHistogramPointData point = point(-5_000, 0, 1_000);
    assertThat(point.getZeroCount()).isEqualTo(2);
    assertThat(point.getCount()).isEqualTo(3);
    assertThat(point.getSum()).isCloseTo(0.001, within(1e-12));
    assertThat(point.getNegativeBuckets().getTotalCount()).isZero();
  }
}
