// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** The time an application would spend on its messages: the thread sleeps for as long. */
final class Processing {
  private final LongSupplier nextNanos;
  private final BooleanSupplier stopped;
  private long untilNanoTime = System.nanoTime();

  /** {@code nextNanos}: the time the next message takes, or null for none. */
  Processing(LongSupplier nextNanos, BooleanSupplier stopped) {
    this.nextNanos = nextNanos;
    this.stopped = stopped;
  }

  /**
   * Spends the time of some messages. It counts from the end of the messages before, so that
   * sleeping a little long does not add up.
   */
  void spend(int messages) {
    if (nextNanos == null) {
      return;
    }
    long work = 0;
    for (int i = 0; i < messages; i++) {
      work += nextNanos.getAsLong();
    }
    long now = System.nanoTime();
    boolean idle = now - untilNanoTime > work;
    untilNanoTime = (idle ? now : untilNanoTime) + work;
    for (long left = untilNanoTime - now; left > 0 && !stopped.getAsBoolean(); ) {
      LockSupport.parkNanos(left);
      left = untilNanoTime - System.nanoTime();
    }
  }
}
