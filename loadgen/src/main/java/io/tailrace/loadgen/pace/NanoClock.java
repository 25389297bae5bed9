// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/**
 * A monotonic clock with its wall-clock time. The two are synchronised when the clock is created,
 * and from time to time afterwards without a jump, so a step of the system clock during a run does
 * not distort latencies.
 */
public interface NanoClock {
  /** Monotonic time in ns, of no defined origin, as {@link System#nanoTime()}. */
  long nanoTime();

  /** Wall-clock time of a reading of {@link #nanoTime()}, µs since 1970 UTC, rounded down. */
  long epochMicros(long nanoTime);

  /** Wall-clock time now, µs since 1970 UTC. */
  default long epochMicros() {
    return epochMicros(nanoTime());
  }

  /**
   * Compares the two clocks again. If the system clock was set, the wall-clock times of this clock
   * approach it slowly. Called by one thread at a time.
   *
   * @return by how much the system clock was set since the last comparison, µs; 0 if it was not set
   */
  default long resync() {
    return 0;
  }

  /** The system's monotonic clock, synchronised with CLOCK_REALTIME now. */
  static NanoClock system() {
    return new SystemNanoClock();
  }
}
