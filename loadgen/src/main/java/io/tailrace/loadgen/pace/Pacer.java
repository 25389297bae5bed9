// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Makes one thread wait until the intended send of a message. An overdue message does not wait, so
 * after a stall the thread catches up message by message and the delay of each one is recorded; no
 * message is skipped or moved.
 */
public final class Pacer {
  private final NanoClock clock;
  private final LongConsumer sleepNanos;
  private volatile boolean stopped;
  private volatile boolean woken;
  private volatile Thread waiting;

  public Pacer(NanoClock clock) {
    this(clock, LockSupport::parkNanos);
  }

  Pacer(NanoClock clock, LongConsumer sleepNanos) {
    this.clock = clock;
    this.sleepNanos = sleepNanos;
  }

  /**
   * Waits until a reading of the clock; only one thread may wait at once. Returns the reading at
   * its end, earlier only if stopped or woken.
   */
  public long awaitUntil(long wakeNanoTime) {
    long now = clock.nanoTime();
    if (now - wakeNanoTime >= 0) {
      return now;
    }
    waiting = Thread.currentThread();
    while (now - wakeNanoTime < 0 && !stopped && !woken) {
      sleepNanos.accept(wakeNanoTime - now);
      now = clock.nanoTime();
    }
    woken = false;
    return now;
  }

  /** Ends the current wait, or the next one: the time to wait for may have changed. Any thread. */
  public void wake() {
    woken = true;
    LockSupport.unpark(waiting);
  }

  public boolean stopped() {
    return stopped;
  }

  /** Ends the current wait and every later one at once. Any thread. */
  public void stop() {
    stopped = true;
    LockSupport.unpark(waiting);
  }
}
