// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.workload.Behaviour.AbortSpec;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Checks ten times a second whether a run has reached one of its {@code abortWhen} bounds. */
final class AbortWatch {
  private static final long STEP_NANOS = 100_000_000L;

  private record Counts(long nanoTime, long done, long failed) {}

  private final AbortSpec bounds;
  private final LongSupplier behindNanos;
  private final Deque<Counts> history = new ArrayDeque<>();

  AbortWatch(AbortSpec bounds, LongSupplier behindNanos) {
    this.bounds = bounds;
    this.behindNanos = behindNanos;
  }

  /** Returns why the run must end, or empty; a call too soon after the last one does nothing. */
  Optional<String> check(long nanoTime, long acked, long failed) {
    if (!history.isEmpty() && nanoTime - history.getLast().nanoTime() < STEP_NANOS) {
      return Optional.empty();
    }
    Counts now = new Counts(nanoTime, acked + failed, failed);
    history.add(now);
    return behindTooFar().or(() -> tooManyErrors(now));
  }

  private Optional<String> behindTooFar() {
    long nanos = bounds.behind().isZero() ? 0 : behindNanos.getAsLong();
    return nanos <= bounds.behind().toNanos()
        ? Optional.empty()
        : Optional.of(
            String.format(
                Locale.ROOT,
                "abortWhen.behind: a producer was %.1f s behind its schedule, %s s are allowed",
                nanos / 1e9,
                seconds(bounds.behind())));
  }

  /** Judges a full window only: the first error of a run is no error rate of 100 %. */
  private Optional<String> tooManyErrors(Counts now) {
    long from = now.nanoTime() - bounds.window().toNanos();
    while (history.size() > 1 && second().nanoTime() - from <= 0) {
      history.removeFirst();
    }
    Counts then = history.getFirst();
    long failed = now.failed() - then.failed();
    long done = now.done() - then.done();
    if (bounds.errorRate().isEmpty()
        || then.nanoTime() - from > 0
        || failed <= bounds.errorRate().getAsDouble() * done) {
      return Optional.empty();
    }
    return Optional.of(
        String.format(
            Locale.ROOT,
            "abortWhen.errorRate: %d of %d messages of the last %s s failed, a share of %.4f;"
                + " %s is allowed",
            failed,
            done,
            seconds(bounds.window()),
            (double) failed / done,
            bounds.errorRate().getAsDouble()));
  }

  private Counts second() {
    return history.stream().skip(1).findFirst().orElseThrow();
  }

  private static String seconds(Duration duration) {
    return BigDecimal.valueOf(duration.toMillis(), 3).stripTrailingZeros().toPlainString();
  }
}
