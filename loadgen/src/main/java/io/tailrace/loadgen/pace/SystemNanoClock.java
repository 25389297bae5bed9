// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import java.time.Instant;

/** {@link System#nanoTime()} tied once to CLOCK_REALTIME. */
final class SystemNanoClock implements NanoClock {
  private static final int ATTEMPTS = 50;

  private final long anchorNanoTime;
  private final long anchorEpochNanos;

  SystemNanoClock() {
    // The two clocks cannot be read at one instant; the attempt with the narrowest bracket is the
    // least wrong.
    long narrowest = Long.MAX_VALUE;
    long nanoTime = 0;
    long epochNanos = 0;
    for (int i = 0; i < ATTEMPTS; i++) {
      long before = System.nanoTime();
      Instant now = Instant.now();
      long after = System.nanoTime();
      if (after - before < narrowest) {
        narrowest = after - before;
        nanoTime = before + (after - before) / 2;
        epochNanos = now.getEpochSecond() * 1_000_000_000L + now.getNano();
      }
    }
    anchorNanoTime = nanoTime;
    anchorEpochNanos = epochNanos;
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  public long epochMicros(long nanoTime) {
    return Math.floorDiv(anchorEpochNanos + (nanoTime - anchorNanoTime), 1000L);
  }
}
