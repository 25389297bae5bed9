// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import java.util.concurrent.locks.LockSupport;
import java.util.function.LongConsumer;

/**
 * Holds one thread back until a message is due. A message that is overdue is let through at once,
 * so after a stall the thread catches up slot by slot and the delay of each one shows; no slot is
 * skipped or moved.
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
   * Waits until a time. Only one thread may wait at a time.
   *
   * @param wakeNanoTime reading of the clock to wait for
   * @return reading of the clock at the return, {@code wakeNanoTime} or later unless stopped or
   *     woken
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

  /**
   * Lets the waiting thread, or the next one that would wait, go once before its time: what it
   * waits for may have changed. May be called from any thread.
   */
  public void wake() {
    woken = true;
    LockSupport.unpark(waiting);
  }

  /** Whether {@link #stop()} was called. */
  public boolean stopped() {
    return stopped;
  }

  /**
   * Lets the waiting thread go now and every later wait return at once. May be called from any
   * thread.
   */
  public void stop() {
    stopped = true;
    LockSupport.unpark(waiting);
  }
}
