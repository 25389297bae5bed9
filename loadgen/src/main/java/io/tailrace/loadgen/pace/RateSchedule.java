// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/**
 * The rate of a run over time: segments, one after the other without a gap. One thread appends
 * segments while the run goes on; every producer follows the schedule with its own {@link
 * Arrivals}.
 *
 * <p>A segment ends at a time in the future, where the next one begins, so no producer has passed
 * that time yet.
 */
public final class RateSchedule {
  private final RateSegment origin;
  private volatile RateSegment last;
  private volatile long endNanoTime = RateSegment.OPEN;

  public RateSchedule(long startNanoTime) {
    origin = new RateSegment(startNanoTime, null, false);
    origin.end(startNanoTime);
    last = origin;
  }

  /**
   * Appends a segment that starts at the end of the previous one and lasts until {@link
   * #endSegment}.
   *
   * @param rate its rate, or null for maximum throughput: as fast as producers can send
   * @param bounded whether each producer stops when it has sent its volume
   */
  public void append(RateFunction rate, boolean bounded) {
    RateSegment segment = new RateSegment(last.endNanoTime(), rate, bounded);
    last.setNext(segment);
    last = segment;
  }

  /** Ends the last segment at a time in the future. */
  public void endSegment(long nanoTime) {
    last.end(nanoTime);
  }

  /** Closes the schedule at the end of the last segment. */
  public void close() {
    endNanoTime = last.endNanoTime();
  }

  boolean closed() {
    return endNanoTime != RateSegment.OPEN;
  }

  /** End of the schedule, a reading of the clock; {@link Long#MAX_VALUE} while it is not closed. */
  public long endNanoTime() {
    return endNanoTime;
  }

  RateSegment last() {
    return last;
  }

  RateSegment origin() {
    return origin;
  }
}
