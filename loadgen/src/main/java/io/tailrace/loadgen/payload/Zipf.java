// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.payload;

/**
 * Ranks with probability proportional to 1/rank^exponent, by rejection-inversion (Hörmann and
 * Derflinger, 1996), which requires no table and about one attempt per rank.
 */
final class Zipf {
  private final int count;
  private final double exponent;
  private final double first;
  private final double last;
  private final double shortcut;

  Zipf(int count, double exponent) {
    this.count = count;
    this.exponent = exponent;
    this.first = integral(1.5) - 1;
    this.last = integral(count + 0.5);
    this.shortcut = 2 - inverse(integral(2.5) - weight(2));
  }

  /** A rank from 1 to {@code count}, a pure function of 64 random bits. */
  int rank(long bits) {
    long draw = bits;
    while (true) {
      double area = last + MessageRandom.unit(draw) * (first - last);
      double x = inverse(area);
      int rank = (int) Math.max(1, Math.min(count, Math.round(x)));
      if (rank - x <= shortcut || area >= integral(rank + 0.5) - weight(rank)) {
        return rank;
      }
      draw = MessageRandom.mix(draw + 1);
    }
  }

  private double weight(double x) {
    return Math.exp(-exponent * Math.log(x));
  }

  /** Integral of the weight, in a form that is also valid for an exponent of 1. */
  private double integral(double x) {
    double log = Math.log(x);
    return expm1Over((1 - exponent) * log) * log;
  }

  private double inverse(double area) {
    double t = Math.max(-1, area * (1 - exponent));
    return Math.exp(log1pOver(t) * area);
  }

  private static double log1pOver(double x) {
    return Math.abs(x) > 1e-8 ? Math.log1p(x) / x : 1 - x * (0.5 - x / 3);
  }

  private static double expm1Over(double x) {
    return Math.abs(x) > 1e-8 ? Math.expm1(x) / x : 1 + x * 0.5 * (1 + x / 3);
  }
}
