// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

/** Hears of every worker that can no longer do its part. */
@FunctionalInterface
public interface DeathListener {
  /**
   * Called once or more per worker, on any thread; returns at once.
   *
   * @param who the worker, such as {@code producer 3}
   * @param cause what ended it
   */
  void died(String who, Throwable cause);
}
