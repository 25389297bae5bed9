// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/**
 * A segment of load between two moments, the second of which may be decided while it lasts. The
 * run's controller writes, producers read.
 */
public final class RateSegment {
  static final long OPEN = Long.MAX_VALUE;

  private final RateFunction rate;
  private final boolean bounded;
  private final long startNanoTime;
  private volatile long endNanoTime = OPEN;
  private volatile RateSegment next;

  /**
   * @param rate its rate; null for no schedule: a message is due whenever its producer can send it
   * @param bounded whether each producer stops when it has sent its volume
   */
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
