// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * How many events there were, with the time of the first and the last. One thread at a time adds,
 * any thread reads; adding takes no lock and allocates nothing.
 */
public final class EventCounter {
  private static final VarHandle COUNT;

  static {
    try {
      COUNT = MethodHandles.lookup().findVarHandle(EventCounter.class, "count", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // read and written through COUNT
  private long count;

  private long firstMicros;
  private long lastMicros;

  void add(long timeMicros) {
    add(1, timeMicros);
  }

  void add(long events, long timeMicros) {
    long before = (long) COUNT.get(this);
    if (before == 0) {
      firstMicros = timeMicros;
    }
    lastMicros = timeMicros;
    // Release: a reader that sees the count also sees the times.
    COUNT.setRelease(this, before + events);
  }

  public long count() {
    return (long) COUNT.getAcquire(this);
  }

  /** Time of the first event, µs since 1970 UTC; undefined while the count is 0. */
  public long firstMicros() {
    COUNT.getAcquire(this);
    return firstMicros;
  }

  /** Time of the last event, µs since 1970 UTC; undefined while the count is 0. */
  public long lastMicros() {
    COUNT.getAcquire(this);
    return lastMicros;
  }
}
