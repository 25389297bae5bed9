// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/**
 * The stretches of a run's load, one after the other without a gap. Laid out by one thread while
 * the run goes on, followed by every producer with an {@link Arrivals} of its own.
 *
 * <p>A segment is ended at a moment that is still to come, and the next one begins there, so no
 * producer has passed it yet.
 */
public final class RateSchedule {
  private final RateSegment origin;
  private volatile RateSegment last;
  private volatile long endNanoTime = RateSegment.OPEN;

  /**
   * @param startNanoTime reading of the clock at which the first segment begins
   */
  public RateSchedule(long startNanoTime) {
    origin = new RateSegment(startNanoTime, null, false);
    origin.end(startNanoTime);
    last = origin;
  }

  /**
   * Appends a segment that lasts from the last turn on until {@link #endSegment} is called next.
   *
   * @param rate its rate, or null for no schedule: as fast as producers can send
   * @param bounded whether each producer stops when it has sent its volume
   */
  public void append(RateFunction rate, boolean bounded) {
    RateSegment segment = new RateSegment(last.endNanoTime(), rate, bounded);
    last.setNext(segment);
    last = segment;
  }

  /** Ends the last segment at a moment to come. */
  public void endSegment(long nanoTime) {
    last.end(nanoTime);
  }

  /** Nothing follows the last segment, which is ended. */
  public void close() {
    endNanoTime = last.endNanoTime();
  }

  /** Whether the schedule has an end by now. */
  boolean closed() {
    return endNanoTime != RateSegment.OPEN;
  }

  /**
   * End of the last segment, a reading of the clock; {@link Long#MAX_VALUE} while there is none.
   */
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
