// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Why a run ends before its plan does. All methods may be called from any thread. */
final class RunState {
  private final AtomicReference<String> failure = new AtomicReference<>();
  private volatile boolean aborted;
  private volatile boolean interrupted;
  private volatile boolean sealed;
  private volatile boolean stopRequested;

  void interrupt() {
    stopRequested = true;
    if (!sealed) {
      interrupted = true;
    }
  }

  /** All work is done: an interruption from now on changes nothing. */
  void seal() {
    sealed = true;
  }

  /** Ends the run because of a failure; only the first one is kept. */
  void fail(String part, Throwable cause) {
    String message =
        cause.getMessage() == null ? "" : ": " + cause.getMessage().replaceAll("\\s+", " ").strip();
    fail(part + ": " + cause.getClass().getSimpleName() + message);
  }

  void fail(String oneLine) {
    failure.compareAndSet(null, oneLine);
  }

  /** Ends the run at one of its {@code abortWhen} bounds, which the line names. */
  void abort(String oneLine) {
    if (failure.compareAndSet(null, oneLine)) {
      aborted = true;
    }
  }

  boolean ending() {
    return interrupted || failure.get() != null;
  }

  boolean interrupted() {
    return interrupted;
  }

  /** Whether to end as soon as possible, also while the run is being finished. */
  boolean stopRequested() {
    return stopRequested;
  }

  /** The line that states what failed, if anything did. */
  Optional<String> failure() {
    return Optional.ofNullable(failure.get());
  }

  int exitCode() {
    return failure.get() != null ? 1 : interrupted ? 130 : 0;
  }

  String eventName() {
    return aborted ? "run_aborted" : "run_failed";
  }

  /** The exit as in summary.json. */
  String exit() {
    return aborted
        ? "aborted"
        : failure.get() != null ? "failed" : interrupted ? "interrupted" : "completed";
  }
}
