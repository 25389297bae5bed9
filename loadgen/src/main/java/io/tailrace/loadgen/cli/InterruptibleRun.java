// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import java.io.PrintStream;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Lets SIGINT and SIGTERM end a run in order. The virtual machine answers both by starting shutdown
 * hooks and leaving when they return, with 130 or 143; the hook here asks the run to stop, waits
 * for its end, and leaves with 130.
 */
final class InterruptibleRun {
  private static final long PATIENCE_SECONDS = 90;

  private final Callable<Integer> run;
  private final Runnable stop;
  private final PrintStream out;
  private final PrintStream err;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile boolean stopping;

  /**
   * @param run the run; returns its exit status
   * @param stop asks the run to end, from another thread
   */
  InterruptibleRun(Callable<Integer> run, Runnable stop, PrintStream out, PrintStream err) {
    this.run = run;
    this.stop = stop;
    this.out = out;
    this.err = err;
  }

  /** Runs to the end and returns its exit status, or does not return when a signal came. */
  int execute() throws Exception {
    Thread hook = new Thread(this::stopAndLeave, "stop-on-signal");
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      return run.call();
    } catch (Exception e) {
      if (stopping) {
        err.println("while stopping: " + e); // the hook may leave before anyone above says it
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
      // A signal came: the hook is at work and ends the process.
    }
  }

  private void stopAndLeave() {
    stopping = true;
    try {
      stop.run();
      if (!ended.await(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        err.println("the run did not end within " + PATIENCE_SECONDS + " s of the signal; leaving");
      }
    } catch (InterruptedException | RuntimeException e) {
      err.println("while stopping: " + e);
    } finally {
      out.flush();
      err.flush();
      Runtime.getRuntime().halt(ExitCode.INTERRUPTED);
    }
  }
}
