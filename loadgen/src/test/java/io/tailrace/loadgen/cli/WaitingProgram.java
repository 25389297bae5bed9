// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import java.util.concurrent.CountDownLatch;

/** A program whose run lasts until it is stopped, for tests that send it a signal. */
final class WaitingProgram {
  static final String STARTED = "started";
  static final String ENDED_IN_ORDER = "ended in order";

  private WaitingProgram() {}

  /**
   * @param args {@code fail} to end the stopped run with an exception
   */
  public static void main(String[] args) throws Exception {
    CountDownLatch stopped = new CountDownLatch(1);
    InterruptibleRun run =
        new InterruptibleRun(
            () -> {
              System.out.println(STARTED);
              stopped.await();
              if (args.length > 0) {
                throw new IllegalStateException("flush failed");
              }
              System.out.println(ENDED_IN_ORDER);
              return 0;
            },
            stopped::countDown,
            System.out,
            System.err);
    System.exit(run.execute());
  }
}
