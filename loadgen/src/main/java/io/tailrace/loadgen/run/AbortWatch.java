// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.function.LongSupplier;

/** Looks, about ten times a second, whether a run has come to one of its {@code abortWhen} bounds. */
final class AbortWatch {
  private static final long STEP_NANOS = 100_000_000L;

  /** What the load has counted by a moment. */
  record Counts(long nanoTime, long done, long failed) {}

  private final Duration behind;
  private final OptionalDouble errorRate;
  private final Duration window;
  private final LongSupplier behindNanos;
  private final Deque<Counts> history = new ArrayDeque<>();

  /**
   * @param behind how far behind its schedule the run may be; zero for no bound
   * @param errorRate share of sends that may fail, or empty for no bound
   * @param window time over which that share is taken
   * @param behindNanos how far behind the producer is that is furthest behind
   */
  AbortWatch(
      Duration behind, OptionalDouble errorRate, Duration window, LongSupplier behindNanos) {
    this.behind = behind;
    this.errorRate = errorRate;
    this.window = window;
    this.behindNanos = behindNanos;
  }

  /**
   * Looks.
   *
   * @param now counts now; a call too soon after the last one is passed over
   * @return why the run is to end, or empty
   */
  Optional<String> look(Counts now) {
    if (!history.isEmpty() && now.nanoTime() - history.getLast().nanoTime() < STEP_NANOS) {
      return Optional.empty();
    }
    history.add(now);
    return tooLate().or(() -> tooManyErrors(now));
  }

  private Optional<String> tooLate() {
    long nanos = behind.isZero() ? 0 : behindNanos.getAsLong();
    return nanos <= behind.toNanos()
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "abortWhen.behind: a producer was %.1f s behind its schedule, %s s are allowed",
                nanos / 1e9,
                seconds(behind)));
  }

  /** Judges a full window only: the first error of a run is not an error rate of 100 %. */
  private Optional<String> tooManyErrors(Counts now) {
    long from = now.nanoTime() - window.toNanos();
    while (history.size() > 1 && second().nanoTime() - from <= 0) {
      history.removeFirst();
    }
    Counts then = history.getFirst();
    long failed = now.failed() - then.failed();
    long done = now.done() - then.done();
    if (errorRate.isEmpty()
        || then.nanoTime() - from > 0
        || failed <= errorRate.getAsDouble() * done) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "abortWhen.errorRate: %d of %d messages of the last %s s failed, a share of %.4f;"
                + " %s is allowed",
            failed,
            done,
            seconds(window),
            (double) failed / done,
            errorRate.getAsDouble()));
  }

  private Counts second() {
    return history.stream().skip(1).findFirst().orElseThrow();
  }

  private static String seconds(Duration duration) {
    return BigDecimal.valueOf(duration.toMillis(), 3)
        .stripTrailingZeros()
        .toPlainString();
  }
}
