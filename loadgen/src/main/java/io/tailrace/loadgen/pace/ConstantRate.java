// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/** A rate, 0 or more, that does not change. */
public record ConstantRate(double messagesPerSecond) implements RateFunction {
  @Override
  public double messagesBy(long nanos) {
    return nanos / 1e9 * messagesPerSecond;
  }

  @Override
  public long nanosAt(double messages) {
    double nanos = messages * (1e9 / messagesPerSecond);
    return nanos < Long.MAX_VALUE / 2.0 ? Math.round(nanos) : Long.MAX_VALUE;
  }
}
