// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import java.time.Duration;

/**
 * Another rate in bursts: the messages of each period are sent in the first part of the period,
 * none in the rest. The mean over whole periods stays the same.
 */
public final class BurstRate implements RateFunction {
  private final RateFunction spread;
  private final long everyNanos;
  private final double lastingNanos;

  /** Compresses another rate into bursts of some length at the start of each period. */
  public BurstRate(RateFunction spread, Duration every, Duration lasting) {
    this.spread = spread;
    this.everyNanos = every.toNanos();
    this.lastingNanos = lasting.toNanos();
  }

  @Override
  public double messagesBy(long nanos) {
    long into = nanos % everyNanos;
    double part = Math.min(1, into / lastingNanos);
    return spread.messagesBy(nanos - into + Math.round(part * everyNanos));
  }

  @Override
  public long nanosAt(double messages) {
    long nanos = spread.nanosAt(messages);
    if (nanos == Long.MAX_VALUE) {
      return nanos;
    }
    long into = nanos % everyNanos;
    return nanos - into + Math.round(into * (lastingNanos / everyNanos));
  }
}
