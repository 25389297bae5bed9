// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import java.time.Instant;
import java.util.function.LongSupplier;

/**
 * {@link System#nanoTime()} synchronised with CLOCK_REALTIME at creation, and again by {@link
 * #resync}. If the system clock was set, this clock approaches it at 500 ppm, so no latency is off
 * by more than 0.05 % and times never jump.
 */
final class SystemNanoClock implements NanoClock {
  private static final int ATTEMPTS = 50;
  private static final double SLEW = 500e-6;

  /** Smaller differences are within the uncertainty of reading two clocks. */
  private static final long MIN_STEP_NANOS = 100_000;

  private final LongSupplier monotonic;
  private final LongSupplier realtime;
  private volatile Sync sync;
  private long knownOffsetNanos;

  /**
   * Both clocks at one moment, and the slew from there on.
   *
   * @param slew ns to add per ns, for {@code slewNanos} after {@code nanoTime}
   */
  private record Sync(long nanoTime, long epochNanos, double slew, long slewNanos) {
    long epochNanos(long at) {
      long since = at - nanoTime;
      if (slewNanos == 0 || since <= 0) {
        return epochNanos + since;
      }
      return epochNanos + since + (long) (Math.min(since, slewNanos) * slew);
    }
  }

  /** Both clocks, read as close together as possible. */
  private record Reading(long nanoTime, long epochNanos) {}

  SystemNanoClock() {
    this(System::nanoTime, SystemNanoClock::epochNanos);
  }

  SystemNanoClock(LongSupplier monotonic, LongSupplier realtime) {
    this.monotonic = monotonic;
    this.realtime = realtime;
    Reading now = read();
    sync = new Sync(now.nanoTime(), now.epochNanos(), 0, 0);
    knownOffsetNanos = now.epochNanos() - now.nanoTime();
  }

  private static long epochNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  // The two clocks cannot be read at one instant; the attempt with the shortest interval has the
  // smallest error.
  private Reading read() {
    long narrowest = Long.MAX_VALUE;
    Reading best = null;
    for (int i = 0; i < ATTEMPTS; i++) {
      long before = monotonic.getAsLong();
      long now = realtime.getAsLong();
      long after = monotonic.getAsLong();
      if (best == null || after - before < narrowest) {
        narrowest = after - before;
        best = new Reading(before + (after - before) / 2, now);
      }
    }
    return best;
  }

  @Override
  public long nanoTime() {
    return monotonic.getAsLong();
  }

  @Override
  public long epochMicros(long nanoTime) {
    return Math.floorDiv(sync.epochNanos(nanoTime), 1000L);
  }

  @Override
  public synchronized long resync() {
    Reading now = read();
    long offset = now.epochNanos() - now.nanoTime();
    long step = offset - knownOffsetNanos;
    long line = sync.epochNanos(now.nanoTime());
    long error = now.epochNanos() - line;
    boolean follow = Math.abs(error) >= MIN_STEP_NANOS;
    sync =
        follow
            ? new Sync(
                now.nanoTime(), line, Math.signum(error) * SLEW, (long) Math.abs(error / SLEW))
            : new Sync(now.nanoTime(), line, 0, 0);
    if (Math.abs(step) < MIN_STEP_NANOS) {
      return 0;
    }
    knownOffsetNanos = offset;
    return step / 1000;
  }
}
