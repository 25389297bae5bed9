// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import io.tailrace.loadgen.contract.ExitCode;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends a run in an orderly way on SIGINT and SIGTERM. On either signal the JVM runs its shutdown
 * hooks and exits with 130 or 143 when they return; the hook of this class asks the run to stop,
 * waits for its end and exits with 130.
 */
final class InterruptibleRun {
  private static final long PATIENCE_SECONDS = 90;

  private final Callable<Integer> run;
  private final Runnable stop;
  private final PrintStream out;
  private final PrintStream err;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final boolean ownStatus;
  private volatile boolean stopping;
  private volatile int status = ExitCode.INTERRUPTED;

  InterruptibleRun(Callable<Integer> run, Runnable stop, PrintStream out, PrintStream err) {
    this(run, stop, out, err, false);
  }

  /**
   * Ends on a signal as it does otherwise.
   *
   * @param ownStatus whether it exits with the run's status after a signal, instead of 130
   */
  InterruptibleRun(
      Callable<Integer> run, Runnable stop, PrintStream out, PrintStream err, boolean ownStatus) {
    this.ownStatus = ownStatus;
    this.run = run;
    this.stop = stop;
    this.out = out;
    this.err = err;
  }

  /** Returns the exit status; does not return after a signal. */
  int execute() throws Exception {
    Thread hook = new Thread(this::stopAndLeave, "stop-on-signal");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      int returned = run.call();
      status = ownStatus ? returned : status;
      return returned;
    } catch (Exception e) {
      if (stopping) {
        err.println("while stopping: " + e); // the hook may exit before a caller can print it
        return ExitCode.INTERRUPTED;
      }
      throw e;
    } finally {
      ended.countDown();
      forget(hook);
    }
  }

  private static void forget(Thread hook) {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // A signal was received: the hook is running and ends the process.
    }
  }

  private void stopAndLeave() {
    stopping = true;
    try {
      stop.run();
      if (!ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        err.println("the run did not end within " + PATIENCE_SECONDS + " s of the signal; exiting");
      }
    } catch (InterruptedException | RuntimeException e) {
      err.println("while stopping: " + e);
    } finally {
      out.flush();
      err.flush();
      Runtime.getRuntime().halt(status);
    }
  }
}
