// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import java.util.SplittableRandom;

/**
 * When the messages of one producer are due, one after the other along a {@link RateSchedule}.
 *
 * <p>A producer's messages are points on the axis of its share of the flow: evenly spaced at i +
 * offset, or, for Poisson arrivals, at sums of exponentially distributed gaps of mean 1. A message
 * is due when the flow has come to its point. Stretches therefore join without a gap, curves and
 * Poisson arrivals go together, and rounding does not add up: after 36 hours at 3 million messages
 * a second it is still below 1 ns.
 *
 * <p>For one thread, except where a method says any.
 */
public final class Arrivals {
  /** Nothing is due at present; the course will go on. */
  public static final long LATER = Long.MAX_VALUE;

  /** Nothing will be due any more. */
  public static final long NEVER = Long.MIN_VALUE;

  private final NanoClock clock;
  private final double share;
  private final double offset;
  private final long volume;
  private final SplittableRandom gaps;
  private final RateSchedule course;
  private RateSegment stretch;
  private double pointsBefore;
  private double point;
  private long inStretch;
  private long told;
  private long latest = Long.MIN_VALUE;
  private volatile RateSegment done;

  /**
   * @param course what to follow
   * @param share share of the total flow, above 0; over all producers shares add up to 1
   * @param offset where in its own interval the first message lies, 0 ≤ x &lt; 1
   * @param volume messages at most in each bounded stretch
   * @param gaps chance for Poisson arrivals, or null for even ones
   */
  public Arrivals(
      RateSchedule course,
      double share,
      double offset,
      long volume,
      SplittableRandom gaps,
      NanoClock clock) {
    this.course = course;
    this.share = share;
    this.offset = offset;
    this.volume = volume;
    this.gaps = gaps;
    this.clock = clock;
    this.stretch = course.origin();
    this.point = gaps == null ? offset : gap();
  }

  /**
   * When the next message is due.
   *
   * @return a reading of the clock, {@link #LATER} or {@link #NEVER}; until {@link #sent()} is
   *     called the same one, unless a stretch has been ended before it
   */
  public long due() {
    while (true) {
      long end = stretch.endNanoTime();
      boolean full = stretch.bounded() && inStretch >= volume;
      if (full) {
        done = stretch;
      } else {
        long due = dueInStretch();
        if (due < end) {
          // A turn that came too late lies before what was sent already: time does not go back.
          told = Math.max(due, latest);
          return told;
        }
      }
      if (end == RateSegment.OPEN) {
        return LATER;
      }
      RateSegment next = stretch.next();
      if (next == null) {
        return course.ended() ? NEVER : LATER;
      }
      moveTo(next, end, full);
    }
  }

  /** Whether a schedule made the message due that {@link #due()} told last. */
  public boolean scheduled() {
    return stretch.scheduled();
  }

  private long dueInStretch() {
    if (!stretch.scheduled()) {
      return stretch.endNanoTime() > stretch.startNanoTime()
          ? Math.max(stretch.startNanoTime(), clock.nanoTime())
          : LATER;
    }
    long nanos = stretch.flow().nanosAt((point - pointsBefore) / share);
    return nanos == Long.MAX_VALUE ? LATER : stretch.startNanoTime() + nanos;
  }

  private void moveTo(RateSegment next, long end, boolean full) {
    if (stretch.scheduled()) {
      pointsBefore += share * stretch.flow().messagesBy(end - stretch.startNanoTime());
      if (full) {
        // What the flow went on to hold was not wanted.
        point = Math.max(point, pointsBefore + offset);
      }
    } else {
      pointsBefore = point - offset;
    }
    stretch = next;
    inStretch = 0;
  }

  /** The message that was due has been sent. */
  public void sent() {
    latest = told;
    inStretch++;
    point += gaps == null ? 1 : gap();
  }

  private double gap() {
    return -Math.log1p(-gaps.nextDouble());
  }

  /** Whether its part of the course's present stretch, a bounded one, is sent. Any thread. */
  public boolean volumeSent() {
    return done == course.last();
  }

  /** Messages still due before the course's end, which must be known. Sends are over then. */
  public OverdueMessages left() {
    long left = 0;
    long first = 0;
    long last = 0;
    for (long due = due(); due != NEVER && stretch.scheduled(); due = due()) {
      first = left == 0 ? due : first;
      last = due;
      long here = 1;
      if (gaps == null) {
        long lasting = stretch.endNanoTime() - stretch.startNanoTime();
        double end = pointsBefore + share * stretch.flow().messagesBy(lasting);
        // One less than there may be: the last one is left to due(), which knows about rounding.
        here = Math.max(1, (long) Math.ceil(end - point) - 1);
        here = stretch.bounded() ? Math.min(here, volume - inStretch) : here;
      }
      if (here > 1) {
        point += here - 1;
        last = Math.max(last, dueInStretch());
        point -= here - 1;
      }
      left += here;
      inStretch += here;
      point += gaps == null ? here : gap();
    }
    return new OverdueMessages(left, first, last);
  }
}
