// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.time.Duration;
import java.util.Locale;

/**
 * Looks for the highest rate that the brokers follow, step by step: each step's rate is judged by
 * whether the run kept to it; the next one is higher, or lower and nearer.
 */
final class RateSearch {
  /** How long each rate is offered. */
  static final Duration STEP = Duration.ofSeconds(3);

  private static final double FIRST = 10_000;
  // A run has followed when no producer is later than this, and consumers no more than a second.
  private static final long LATE_NANOS = 200_000_000L;
  private static final double NEAREST = 1.01;

  private double rate = FIRST;
  private double factor = 2;
  private double sustained;
  private boolean recovering;
  private String lastWord = "";

  /** The rate to offer now, messages per second. */
  double rate() {
    return recovering ? rate / 2 : rate;
  }

  /** The highest rate followed so far, or the lowest one tried. */
  double found() {
    return sustained > 0 ? sustained : rate;
  }

  /**
   * Judges the step that is over.
   *
   * @param behindNanos how far behind its schedule the latest producer is
   * @param acked messages per second acknowledged in the step
   * @param backlog messages acknowledged and not received, over all groups
   * @param groups consumer groups that read each message
   */
  void step(long behindNanos, double acked, long backlog, double groups) {
    boolean followed = behindNanos <= LATE_NANOS && backlog <= Math.max(1000, rate * groups);
    String held = recovering ? "catching up" : followed ? "followed" : "not followed";
    if (recovering) {
      // What was late before is being sent: only when that is over a rate can be judged again.
      recovering = !followed;
    } else if (followed) {
      sustained = rate;
      rate *= factor;
    } else {
      factor = Math.max(NEAREST, 1 + (factor - 1) / 2);
      rate = Math.max(1, Math.min(rate / factor, acked));
      sustained = Math.min(sustained, rate);
      recovering = true;
    }
    lastWord = String.format(Locale.ROOT, "%s; next %.0f/s", held, rate());
  }

  /** What the last step came to, for people. */
  String lastWord() {
    return lastWord;
  }
}
