// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.time.Duration;
import java.util.Locale;

/**
 * Looks for the highest rate that the brokers sustain, step by step: a rate counts as sustained
 * when the run kept to it; the next rate is higher, or lower and closer.
 */
final class RateSearch {
  static final Duration STEP = Duration.ofSeconds(3);
  private static final double FIRST = 10_000;
  // A rate is sustained when no producer is later than this, and consumers by a second at most.
  private static final long LATE_NANOS = 200_000_000L;
  private static final double CLOSEST = 1.01;

  private double rate = FIRST;
  private double factor = 2;
  private double sustained;
  private boolean recovering;
  private String lastResult = "";

  /** The rate to offer now, messages per second. */
  double rate() {
    return recovering ? rate / 2 : rate;
  }

  /** The highest sustained rate so far, or the lowest one tried. */
  double found() {
    return sustained > 0 ? sustained : rate;
  }

  /**
   * Judges the rate of the step that has ended, by how far the latest producer is behind, messages
   * acknowledged per second, the backlog over all groups, and groups per topic.
   */
  void step(long behindNanos, double acked, long backlog, double groups) {
    boolean followed = behindNanos <= LATE_NANOS && backlog <= Math.max(1000, rate * groups);
    String result = recovering ? "catching up" : followed ? "followed" : "not followed";
    if (recovering) {
      // Let producers catch up before another rate is judged.
      recovering = !followed;
    } else if (followed) {
      sustained = rate;
      rate *= factor;
    } else {
      factor = Math.max(CLOSEST, 1 + (factor - 1) / 2);
      rate = Math.max(1, Math.min(rate / factor, acked));
      sustained = Math.min(sustained, rate);
      recovering = true;
    }
    lastResult = String.format(Locale.ROOT, "%s; next %.0f/s", result, rate());
  }

  String lastResult() {
    return lastResult;
  }
}
