// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * Whether a series moves, as {@code cli/tailrace/page/trend.py} tests it for the notices of a run.
 *
 * @param z of the Mann–Kendall test
 * @param first median of the first half
 * @param second median of the second half
 */
record Trend(double z, double first, double second) {
  /** A trend this far from 0 occurs by chance in 1 of 100 series without one. */
  private static final double SIGNIFICANT_Z = 2.576;

  /** Mann–Kendall with the variance of ties; of two values or more. */
  static Trend of(double[] values) {
    int n = values.length;
    long s = 0;
    Map<Double, Integer> counts = new HashMap<>();
    for (int later = 0; later < n; later++) {
      counts.merge(values[later], 1, Integer::sum);
      for (int earlier = 0; earlier < later; earlier++) {
        s += Double.compare(values[later], values[earlier]);
      }
    }
    double ties = counts.values().stream().mapToDouble(t -> t * (t - 1.0) * (2.0 * t + 5)).sum();
    double variance = (n * (n - 1.0) * (2.0 * n + 5) - ties) / 18;
    double z = s == 0 || variance <= 0 ? 0 : (s - Math.signum(s)) / Math.sqrt(variance);
    return new Trend(
        z,
        median(Arrays.copyOfRange(values, 0, n / 2)),
        median(Arrays.copyOfRange(values, (n + 1) / 2, n)));
  }

  static double median(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  /** From the first half to the second, as a share of the first. */
  double change() {
    if (first != 0) {
      return (second - first) / first;
    }
    return second == 0 ? 0 : Double.POSITIVE_INFINITY;
  }

  /** Whether the trend is significant and changes the median by more than {@code share}. */
  boolean moves(double share) {
    return Math.abs(z) > SIGNIFICANT_Z && Math.abs(change()) > share;
  }
}
