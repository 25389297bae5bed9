// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.time.Duration;

/** Lets something happen at most once in a while. For one thread. */
final class Interval {
  private boolean first;
  private long lastNanoTime = System.nanoTime();

  private Interval(boolean first) {
    this.first = first;
  }

  /** The first time counts at once. */
  static Interval fromNow() {
    return new Interval(true);
  }

  /** The first time counts after a whole interval. */
  static Interval afterNow() {
    return new Interval(false);
  }

  /** Whether this long has passed since the last time it had; then it begins anew. */
  boolean elapsed(Duration length) {
    long now = System.nanoTime();
    if (!first && now - lastNanoTime < length.toNanos()) {
      return false;
    }
    restart();
    return true;
  }

  void restart() {
    first = false;
    lastNanoTime = System.nanoTime();
  }
}
