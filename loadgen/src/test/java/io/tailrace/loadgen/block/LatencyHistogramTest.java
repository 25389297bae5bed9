// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class LatencyHistogramTest {
  private final LatencyHistogram histogram = new LatencyHistogram();

  @Test
  void quantilesAreWithinFourTenthsOfAPercentOfTheExactOnes() {
    SplittableRandom random = new SplittableRandom(42);
    long[] values = new long[100_000];
    for (int i = 0; i < values.length; i++) {
      values[i] = (long) Math.exp(random.nextDouble() * 20) - (i % 3 == 0 ? 1_000 : 0);
      histogram.add(values[i]);
    }
    Arrays.sort(values);
    for (double q : new double[] {0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999, 1}) {
      long exact = values[(int) Math.ceil(q * values.length) - 1];
      assertThat(histogram.quantile(q)).isCloseTo(exact, within(Math.abs(exact) / 250 + 1));
    }
  }

  @Test
  void smallLatenciesAreWithinFourTenthsOfAPercent() {
    for (long v = 1; v <= 4096; v++) {
      LatencyHistogram one = new LatencyHistogram();
      one.add(v);
      assertThat(one.quantile(0.5)).isBetween(v - v / 250, v + v / 250);
    }
  }

  @Test
  void extremesAreCounted() {
    for (long v : new long[] {Long.MIN_VALUE, -1, 0, 1, Long.MAX_VALUE}) {
      histogram.add(v);
    }
    assertThat(histogram.count()).isEqualTo(5);
    assertThat(histogram.countNotPositive()).isEqualTo(3);
    assertThat(histogram.quantile(0.4)).isEqualTo(-1);
    assertThat(histogram.quantile(0.6)).isZero();
    assertThat(histogram.quantile(0.8)).isEqualTo(1);
  }

  @Test
  void subtractingAHistogramLeavesTheDifference() {
    histogram.add(10);
    histogram.add(-3);
    LatencyHistogram before = new LatencyHistogram();
    before.merge(histogram, 1);
    histogram.add(5_000);
    LatencyHistogram since = new LatencyHistogram();
    since.merge(histogram, 1);
    since.merge(before, -1);
    assertThat(since.count()).isEqualTo(1);
    assertThat(since.quantile(0)).isCloseTo(5_000, within(20L));
    assertThat(since.positiveSum()).isEqualTo(5_000);
  }

  @Test
  void anEmptyHistogramHasQuantileZero() {
    assertThat(histogram.quantile(0.5)).isZero();
    assertThat(histogram.count()).isZero();
  }
}
