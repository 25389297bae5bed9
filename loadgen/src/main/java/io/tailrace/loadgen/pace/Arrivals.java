// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import java.util.SplittableRandom;

/**
 * When the messages of one producer are due, one after the other along a {@link RateSchedule}.
 *
 * <p>A producer's messages are points on the axis of its share of the rate: evenly spaced at i +
 * offset, or, for Poisson arrivals, at sums of exponentially distributed gaps of mean 1. A message
 * is due when the rate has come to its point. Stretches therefore join without a gap, curves and
 * Poisson arrivals go together, and rounding does not add up: after 36 hours at 3 million messages
 * a second it is still below 1 ns.
 *
 * <p>For one thread, except where a method says any.
 */
public final class Arrivals {
  /** Nothing is due at present; the schedule will go on. */
  public static final long LATER = Long.MAX_VALUE;

  /** Nothing will be due any more. */
  public static final long NEVER = Long.MIN_VALUE;

  private final NanoClock clock;
  private final double share;
  private final double offset;
  private final long volume;
  private final SplittableRandom gaps;
  private final RateSchedule schedule;
  private RateSegment segment;
  private double pointsBefore;
  private double point;
  private long sentInSegment;
  private long intended;
  private long latest = Long.MIN_VALUE;
  private volatile RateSegment done;

  /**
   * @param schedule what to follow
   * @param share share of the total rate, above 0; over all producers shares add up to 1
   * @param offset where in its own interval the first message lies, 0 ≤ x &lt; 1
   * @param volume messages at most in each bounded segment
   * @param gaps chance for Poisson arrivals, or null for even ones
   */
  public Arrivals(
      RateSchedule schedule,
      double share,
      double offset,
      long volume,
      SplittableRandom gaps,
      NanoClock clock) {
    this.schedule = schedule;
    this.share = share;
    this.offset = offset;
    this.volume = volume;
    this.gaps = gaps;
    this.clock = clock;
    this.segment = schedule.origin();
    this.point = gaps == null ? offset : gap();
  }

  /**
   * When the next message is due.
   *
   * @return a reading of the clock, {@link #LATER} or {@link #NEVER}; until {@link #sent()} is
   *     called the same one, unless a segment has been ended before it
   */
  public long nextIntended() {
    while (true) {
      long end = segment.endNanoTime();
      boolean full = segment.bounded() && sentInSegment >= volume;
      if (full) {
        done = segment;
      } else {
        long due = nextInSegment();
        if (due < end) {
          // A turn that came too late lies before what was sent already: time does not go back.
          intended = Math.max(due, latest);
          return intended;
        }
      }
      if (end == RateSegment.OPEN) {
        return LATER;
      }
      RateSegment next = segment.next();
      if (next == null) {
        return schedule.closed() ? NEVER : LATER;
      }
      moveTo(next, end, full);
    }
  }

  /** Whether a schedule made the message due that {@link #nextIntended()} intended last. */
  public boolean scheduled() {
    return segment.scheduled();
  }

  private long nextInSegment() {
    if (!segment.scheduled()) {
      return segment.endNanoTime() > segment.startNanoTime()
          ? Math.max(segment.startNanoTime(), clock.nanoTime())
          : LATER;
    }
    long nanos = segment.rate().nanosAt((point - pointsBefore) / share);
    return nanos == Long.MAX_VALUE ? LATER : segment.startNanoTime() + nanos;
  }

  private void moveTo(RateSegment next, long end, boolean full) {
    if (segment.scheduled()) {
      pointsBefore += share * segment.rate().messagesBy(end - segment.startNanoTime());
      if (full) {
        // What the rate went on to hold was not wanted.
        point = Math.max(point, pointsBefore + offset);
      }
    } else {
      pointsBefore = point - offset;
    }
    segment = next;
    sentInSegment = 0;
  }

  /** The message that was due has been sent. */
  public void sent() {
    latest = intended;
    sentInSegment++;
    point += gaps == null ? 1 : gap();
  }

  private double gap() {
    return -Math.log1p(-gaps.nextDouble());
  }

  /** Whether its part of the schedule's present segment, a bounded one, is sent. Any thread. */
  public boolean volumeSent() {
    return done == schedule.last();
  }

  /** Messages still due before the schedule's end, which must be known. Sends are over then. */
  public OverdueMessages unsent() {
    long left = 0;
    long first = 0;
    long last = 0;
    for (long due = nextIntended(); due != NEVER && segment.scheduled(); due = nextIntended()) {
      first = left == 0 ? due : first;
      last = due;
      long here = 1;
      if (gaps == null) {
        long lasting = segment.endNanoTime() - segment.startNanoTime();
        double end = pointsBefore + share * segment.rate().messagesBy(lasting);
        // One less than there may be: the last one is left to due(), which knows about rounding.
        here = Math.max(1, (long) Math.ceil(end - point) - 1);
        here = segment.bounded() ? Math.min(here, volume - sentInSegment) : here;
      }
      if (here > 1) {
        point += here - 1;
        last = Math.max(last, nextInSegment());
        point -= here - 1;
      }
      left += here;
      sentInSegment += here;
      point += gaps == null ? here : gap();
    }
    return new OverdueMessages(left, first, last);
  }
}
