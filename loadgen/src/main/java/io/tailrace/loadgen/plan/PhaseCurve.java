// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.workload.Rate.RateSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec.Origin;
import io.tailrace.loadgen.workload.Rate.RateSpec.Point;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Cuts the piece of a rate curve that one phase covers. */
final class PhaseCurve {
  private static final Duration DAY = Duration.ofDays(1);

  private PhaseCurve() {}

  /** Points relative to the phase's start. A daily curve repeats; its day begins with the load. */
  static List<Point> of(RateSpec rate, Duration start, Duration duration) {
    Duration end = start.plus(duration);
    List<Point> whole = rate.origin() == Origin.DAY ? repeated(rate.curve(), end) : rate.curve();
    List<Point> piece = new ArrayList<>();
    piece.add(new Point(Duration.ZERO, at(whole, start)));
    for (Point point : whole) {
      if (point.at().compareTo(start) > 0 && point.at().compareTo(end) < 0) {
        piece.add(new Point(point.at().minus(start), point.messagesPerSecond()));
      }
    }
    piece.add(new Point(duration, at(whole, end)));
    return piece;
  }

  /**
   * Repeats a day from one day before the load to one day after {@code end}, so that every time in
   * between has points on both sides.
   */
  private static List<Point> repeated(List<Point> day, Duration end) {
    List<Point> points = new ArrayList<>();
    for (Duration shift = DAY.negated();
        shift.compareTo(end.plus(DAY)) <= 0;
        shift = shift.plus(DAY)) {
      for (Point point : day) {
        points.add(new Point(point.at().plus(shift), point.messagesPerSecond()));
      }
    }
    return points;
  }

  private static double at(List<Point> points, Duration time) {
    Point before = points.get(0);
    if (time.compareTo(before.at()) <= 0) {
      return before.messagesPerSecond();
    }
    for (Point after : points) {
      if (after.at().compareTo(time) >= 0) {
        double length = after.at().minus(before.at()).toNanos();
        double part = length == 0 ? 0 : time.minus(before.at()).toNanos() / length;
        return before.messagesPerSecond()
            + part * (after.messagesPerSecond() - before.messagesPerSecond());
      }
      before = after;
    }
    return before.messagesPerSecond();
  }
}
