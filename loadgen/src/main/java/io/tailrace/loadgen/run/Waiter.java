// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Waits for conditions, never without a bound, and keeps the clockwork of the run going meanwhile.
 */
final class Waiter {
  private static final long STEP_MILLIS = 20;

  private final RunState state;
  private final Runnable eachStep;

  /**
   * @param eachStep called about every 20 ms while waiting
   */
  Waiter(RunState state, Runnable eachStep) {
    this.state = state;
    this.eachStep = eachStep;
  }

  /**
   * Waits until a condition holds, the time is up or the run is to end.
   *
   * @return whether the condition holds
   */
  boolean await(Duration atMost, BooleanSupplier condition) {
    return await(atMost, condition, true);
  }

  /** As {@link #await}, but the end of the run does not cut it short: for winding up. */
  boolean awaitToTheEnd(Duration atMost, BooleanSupplier condition) {
    return await(atMost, condition, false);
  }

  private boolean await(Duration atMost, BooleanSupplier condition, boolean endsEarly) {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - deadline >= 0 || (endsEarly && state.ending())) {
        return false;
      }
      eachStep.run();
      try {
        Thread.sleep(STEP_MILLIS);
      } catch (InterruptedException e) {
        // The same wish as a signal: the run is wound up in order, with waits that work.
        state.interrupt();
      }
    }
    return true;
  }
}
