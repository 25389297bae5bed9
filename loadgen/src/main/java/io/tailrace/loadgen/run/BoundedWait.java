// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/** Waits for conditions, never without a bound, and keeps the run ticking meanwhile. */
final class BoundedWait {
  private static final long TICK_MILLIS = 20;

  private final RunState state;
  private final List<Runnable> ticks = new ArrayList<>();

  BoundedWait(RunState state) {
    this.state = state;
  }

  RunState state() {
    return state;
  }

  void eachTick(Runnable tick) {
    ticks.add(tick);
  }

  /** Returns whether the condition held before the time was up or the run was to end. */
  boolean await(Duration atMost, BooleanSupplier condition) {
    return await(atMost, condition, true);
  }

  /** As {@link #await}, but goes on when the run is to end: for finishing it. */
  boolean awaitDespiteEnd(Duration atMost, BooleanSupplier condition) {
    return await(atMost, condition, false);
  }

  private boolean await(Duration atMost, BooleanSupplier condition, boolean endsEarly) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline >= 0 || (endsEarly && state.ending())) {
        return false;
      }
      ticks.forEach(Runnable::run);
      try {
        Thread.sleep(TICK_MILLIS);
      } catch (InterruptedException e) {
        // Treated as a signal: the run ends in order, and its last waits still work.
        state.interrupt();
      }
    }
    return true;
  }
}
