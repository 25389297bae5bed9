// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/**
 * A monotonic clock and the wall-clock time that belongs to it. The two are tied together when the
 * clock is made, and again now and then, without a jump: a step of the system clock in mid-run
 * moves no latency.
 */
public interface NanoClock {
  /** Monotonic time in ns, of no defined origin, as {@link System#nanoTime()}. */
  long nanoTime();

  /**
   * Wall-clock time of a reading of {@link #nanoTime()}.
   *
   * @return µs since 1970 UTC, rounded down
   */
  long epochMicros(long nanoTime);

  /** Wall-clock time now, µs since 1970 UTC. */
  default long epochMicros() {
    return epochMicros(nanoTime());
  }

  /**
   * Compares the two clocks again. Where the system's clock was set, the times told here follow it
   * slowly. By one thread at a time.
   *
   * @return by how much it was set since the last comparison, µs; 0 for not
   */
  default long resync() {
    return 0;
  }

  /** The system's clock, tied to CLOCK_REALTIME now. */
  static NanoClock system() {
    return new SystemNanoClock();
  }
}
