// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

/** A wait that must reach its end: an interrupt is passed on after it. */
interface Uninterrupted {
  void run() throws InterruptedException;

  static void await(Uninterrupted wait) {
    boolean interrupted = false;
    while (true) {
      try {
        wait.run();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
