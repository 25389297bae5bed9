// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.pace.NanoClock;
import java.time.Duration;
import java.time.Instant;

/** When the first phase starts: soon after all is ready, or at the time given to all workers. */
record StartTime(NanoClock clock, Instant at) {
  private static final Duration START_AHEAD = Duration.ofMillis(500);
  private static final long MICROS_PER_SECOND = 1_000_000;

  /** Reading of the clock at which the first phase starts. */
  long nanoTime() {
    long now = clock.nanoTime();
    return at == null ? now + START_AHEAD.toNanos() : now + untilAt(now).toNanos();
  }

  /** How long a preparation may take: its usual limit, or until the agreed time. */
  Duration atMost(Duration usual) {
    if (at == null) {
      return usual;
    }
    Duration left = untilAt(clock.nanoTime());
    return left.isNegative() ? Duration.ZERO : left;
  }

  /** The end of the error line for a preparation that took too long. */
  String tooLate(Duration waited) {
    return at == null
        ? "after " + waited.toSeconds() + " s"
        : "at the agreed start " + at + "; give a later --start-at, or check the other workers";
  }

  private Duration untilAt(long nowNanoTime) {
    long micros = at.getEpochSecond() * MICROS_PER_SECOND + at.getNano() / 1000;
    return Duration.ofNanos((micros - clock.epochMicros(nowNanoTime)) * 1000);
  }
}
