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

  /** Someone asked the run to end. */
  void interrupt() {
    if (!sealed) {
      interrupted = true;
    }
  }

  /** The work is done: an interruption from now on changes nothing. */
  void seal() {
    sealed = true;
  }

  /** Something broke; the first call is the one that is told. */
  void fail(String who, Throwable cause) {
    String message =
        cause.getMessage() == null ? "" : ": " + cause.getMessage().replaceAll("\\s+", " ").strip();
    fail(who + ": " + cause.getClass().getSimpleName() + message);
  }

  void fail(String oneLine) {
    failure.compareAndSet(null, oneLine);
  }

  /** The run has come to a bound that it was given; the line names the bound. */
  void abort(String oneLine) {
    if (failure.compareAndSet(null, oneLine)) {
      aborted = true;
    }
  }

  /** Whether the run should be wound up now. */
  boolean ending() {
    return interrupted || failure.get() != null;
  }

  /** Whether someone asked for the end. */
  boolean interrupted() {
    return interrupted;
  }

  /** The line that says what broke, if anything did. */
  Optional<String> failure() {
    return Optional.ofNullable(failure.get());
  }

  int exitCode() {
    return failure.get() != null ? 1 : interrupted ? 130 : 0;
  }

  /** The name of the event that tells of the failure. */
  String eventName() {
    return aborted ? "run_aborted" : "run_failed";
  }

  /** The exit as summary.json has it. */
  String exit() {
    return aborted
        ? "aborted"
        : failure.get() != null ? "failed" : interrupted ? "interrupted" : "completed";
  }
}
