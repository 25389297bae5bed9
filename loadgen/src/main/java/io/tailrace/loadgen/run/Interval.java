// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.time.Duration;

/**
 * Lets something happen at most once in a while, at first at once or, after a restart, later. For
 * one thread.
 */
final class Interval {
  private boolean first = true;
  private long lastNanoTime = System.nanoTime();

  /** Whether this long has passed since the last time it had, or it is the first time. */
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
