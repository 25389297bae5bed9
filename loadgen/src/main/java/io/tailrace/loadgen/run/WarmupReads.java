// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.plan.PhasePlan;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.Recorders;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * Reads the run's topics to their ends before the run's own consumers do, with consumers like them
 * that record nothing. A JVM reads several times as slowly in its first second as later.
 */
record WarmupReads(RunContext run) {
  private static final Duration GROUPS = Duration.ofSeconds(60);
  private static final Duration CLOSE = Duration.ofSeconds(10);

  /** Reads the planned number of times; returns whether the run goes on. */
  boolean read() {
    int times = run.plan().behaviour().consume().warmupReads();
    for (int number = 1; number <= times; number++) {
      if (!read(number, times)) {
        return false;
      }
    }
    return true;
  }

  private boolean read(int number, int times) {
    // Each worker has its own groups: in a shared one others would join and leave all the time.
    String suffix = "-warmup-" + number + "-" + run.plan().worker();
    Plan alike = run.plan().readOnly(id -> id + suffix);
    Map<String, Integer> partitions = run.load().partitions();
    Recorders unrecorded = new Recorders(0, 0, false);
    Load readers = new Load(alike, partitions, run.clock(), unrecorded, run.state()::fail);
    try {
      readers.startConsumers();
      if (!run.waits().await(run.startTime().atMost(GROUPS), readers::consumersReady)) {
        return late("not all partitions were assigned", GROUPS);
      }
      PhasePlan measure = measure();
      PhaseGoal goal =
          new PhaseGoal(alike, readers, run.admin().offsets(partitions), Optional.empty());
      goal.begin(measure);
      final long began = run.clock().nanoTime();
      readers.release();
      if (!run.waits().await(run.startTime().atMost(measure.duration()), goal::reached)) {
        return late(goal.missing(), measure.duration());
      }
      report(number, times, readers.received(), run.clock().nanoTime() - began);
      return true;
    } finally {
      readers.close();
      run.waits().awaitDespiteEnd(CLOSE, readers::consumersEnded);
    }
  }

  private PhasePlan measure() {
    return run.plan().phases().stream()
        .filter(phase -> phase.until() == PhasePlan.Until.END_READ)
        .findFirst()
        .orElseThrow();
  }

  private boolean late(String what, Duration usual) {
    if (!run.state().ending()) {
      run.state().fail("warmupReads: " + what + " " + run.startTime().tooLate(usual));
    }
    return false;
  }

  private void report(int number, int times, long messages, long nanos) {
    run.reporter()
        .print(
            "warm-up read %d of %d: %d messages in %.2f s, unrecorded",
            number, times, messages, nanos / 1e9);
    run.reporter().event(EventKinds.CONSUMERS, "warmup_read", String.valueOf(messages));
  }
}
