// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/**
 * One segment of a {@link RateSchedule}. Its end may be decided while it lasts. The run's
 * controller writes it, producers read it.
 */
public final class RateSegment {
  static final long OPEN = Long.MAX_VALUE;

  private final RateFunction rate;
  private final boolean bounded;
  private final long startNanoTime;
  private volatile long endNanoTime = OPEN;
  private volatile RateSegment next;

  RateSegment(long startNanoTime, RateFunction rate, boolean bounded) {
    this.startNanoTime = startNanoTime;
    this.rate = rate;
    this.bounded = bounded;
  }

  boolean scheduled() {
    return rate != null;
  }

  RateFunction rate() {
    return rate;
  }

  boolean bounded() {
    return bounded;
  }

  long startNanoTime() {
    return startNanoTime;
  }

  long endNanoTime() {
    return endNanoTime;
  }

  void end(long nanoTime) {
    endNanoTime = nanoTime;
  }

  RateSegment next() {
    return next;
  }

  void setNext(RateSegment segment) {
    next = segment;
  }
}
