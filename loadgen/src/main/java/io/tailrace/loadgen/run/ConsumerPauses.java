// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.plan.PhasePlan;
import java.time.Duration;

/** Pauses consumers where a phase builds a backlog, and before a delayed start. */
final class ConsumerPauses {
  private final RunContext run;
  private boolean paused;
  private boolean settling;
  private boolean delayed;
  private long consumeFromNanoTime;

  ConsumerPauses(RunContext run) {
    this.run = run;
  }

  /** Pauses consumers whose start is delayed after the reading at which the first phase begins. */
  void delayStart(long startNanoTime) {
    Duration delay = run.plan().behaviour().consume().delay();
    delayed = !delay.isZero();
    consumeFromNanoTime = startNanoTime + delay.toNanos();
    if (delayed) {
      run.load().pauseConsumers(true);
      Duration left = Duration.ofNanos(Math.max(0, startNanoTime - run.clock().nanoTime()));
      run.waits().await(left, run.load()::pauseSettled);
    }
  }

  void begin(PhasePlan phase) {
    run.load().pauseConsumers(phase.consumersPaused() || delayed);
    settling |= paused != phase.consumersPaused();
    paused = phase.consumersPaused();
  }

  /**
   * Resumes consumers whose delay is over, and records when all consumers are paused or resumed.
   * Nothing waits for that: a consumer may be in the middle of a rebalance.
   */
  void tick() {
    if (settling && run.load().pauseSettled()) {
      settling = false;
      run.reporter().event(EventKinds.CONSUMERS, paused ? "paused" : "resumed", "");
    }
    if (delayed && run.clock().nanoTime() >= consumeFromNanoTime) {
      delayed = false;
      run.load().pauseConsumers(paused);
      run.reporter().event(EventKinds.CONSUMERS, "resumed", "");
    }
  }
}
