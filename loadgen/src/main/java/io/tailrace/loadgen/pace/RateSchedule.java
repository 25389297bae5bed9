// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/**
 * The stretches of a run's load, one after the other without a gap. Laid out by one thread while
 * the run goes on, followed by every producer with an {@link Arrivals} of its own.
 *
 * <p>A stretch is ended at a moment that is still to come, and the next one begins there, so no
 * producer has passed it yet.
 */
public final class RateSchedule {
  private final RateSegment origin;
  private volatile RateSegment last;
  private volatile long endNanoTime = RateSegment.OPEN;

  /**
   * @param startNanoTime reading of the clock at which the first stretch begins
   */
  public RateSchedule(long startNanoTime) {
    origin = new RateSegment(startNanoTime, null, false);
    origin.end(startNanoTime);
    last = origin;
  }

  /**
   * Appends a stretch that lasts from the last turn on until {@link #turn} is called next.
   *
   * @param flow its flow, or null for no schedule: as fast as producers can send
   * @param bounded whether each producer stops when it has sent its volume
   */
  public void follow(RateFunction flow, boolean bounded) {
    RateSegment stretch = new RateSegment(last.endNanoTime(), flow, bounded);
    last.follow(stretch);
    last = stretch;
  }

  /** Ends the last stretch at a moment to come. */
  public void turn(long nanoTime) {
    last.end(nanoTime);
  }

  /** Nothing follows the last stretch, which is ended. */
  public void end() {
    endNanoTime = last.endNanoTime();
  }

  /** Whether the course has an end by now. */
  boolean ended() {
    return endNanoTime != RateSegment.OPEN;
  }

  /**
   * End of the last stretch, a reading of the clock; {@link Long#MAX_VALUE} while there is none.
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
