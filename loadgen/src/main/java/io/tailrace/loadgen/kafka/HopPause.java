// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

/** Where an instance of a {@link TransformHop} waits in the middle of a transaction, on request. */
final class HopPause {
  private boolean requested;
  private boolean paused;

  synchronized void request() {
    requested = true;
  }

  synchronized boolean requested() {
    return requested;
  }

  synchronized boolean paused() {
    return paused;
  }

  synchronized void resume() {
    requested = false;
    notifyAll();
  }

  /** Waits for {@link #resume}. */
  synchronized void await() {
    paused = true;
    try {
      while (requested) {
        wait();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      paused = false;
    }
  }
}
