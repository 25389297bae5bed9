// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.agreement.Decision;
import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.PhasePlan;
import io.tailrace.loadgen.plan.PhasePlan.Until;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** Waits for the end of a phase: its limit, its goal, or what the leader decides. */
final class PhaseWait {
  /** Ends are set this far in advance, so that every producer knows them. */
  private static final Duration END_AHEAD = Duration.ofMillis(250);

  /** Goals that end a phase for all workers at once. Volume goals are per worker. */
  private static final Set<Until> DECIDED_BY_LEADER =
      EnumSet.of(
          Until.RETENTION_REACHED,
          Until.END_READ,
          Until.BACKLOG_BUILT,
          Until.BACKLOG_DRAINED,
          Until.STEADY);

  private final RunContext run;
  private final NanoClock clock;
  private final PhaseGoal goal;
  private final Optional<PhaseDecisions> commonDecisions;
  private final List<String> missedGoals = new ArrayList<>();

  /** Without common decisions, the worker is the only one. */
  PhaseWait(RunContext run, PhaseGoal goal, Optional<PhaseDecisions> commonDecisions) {
    this.run = run;
    this.clock = run.clock();
    this.goal = goal;
    this.commonDecisions = commonDecisions;
  }

  void awaitNanoTime(long nanoTime) {
    run.waits().await(until(nanoTime), () -> false);
  }

  /**
   * Waits until little is left of a phase, or its goal is reached; returns the reading of the clock
   * at which it ends, meaningless when the run is ending.
   */
  long untilEnd(int number, long limit) {
    PhasePlan phase = run.plan().phases().get(number);
    if (commonDecisions.isEmpty() || !DECIDED_BY_LEADER.contains(phase.until())) {
      return untilOwnEnd(phase, limit);
    }
    PhaseDecisions decisions = commonDecisions.get();
    return decisions.leads()
        ? untilDecided(decisions, number, limit)
        : untilLeaderDecides(decisions, number, limit);
  }

  private long untilOwnEnd(PhasePlan phase, long limit) {
    boolean reached = run.waits().await(until(limit - END_AHEAD.toNanos()), goal::reached);
    if (run.state().ending()) {
      return limit;
    }
    record(phase, reached);
    return reached ? Math.min(limit, clock.nanoTime() + END_AHEAD.toNanos()) : limit;
  }

  private long untilDecided(PhaseDecisions decisions, int number, long limit) {
    long ahead = PhaseDecisions.ANNOUNCE_AHEAD.toNanos();
    boolean reached = run.waits().await(until(limit - ahead), goal::reached);
    if (run.state().ending()) {
      return limit;
    }
    long end = reached ? Math.min(limit, clock.nanoTime() + ahead) : limit;
    decisions.announceEnd(number, end, reached);
    record(run.plan().phases().get(number), reached);
    return end;
  }

  /**
   * A follower waits for the leader's decision. It decides alone if its own goal is reached and the
   * leader is lost or has not decided within {@link PhaseDecisions#DECISION_TIMEOUT} of that. A
   * leader that lives may well become steady later than a follower.
   */
  private long untilLeaderDecides(PhaseDecisions decisions, int number, long limit) {
    boolean reached =
        run.waits().await(until(limit - END_AHEAD.toNanos()), decidedOrOverdue(decisions, number));
    if (run.state().ending()) {
      return limit;
    }
    PhasePlan phase = run.plan().phases().get(number);
    Decision decision = decisions.decision(number).orElse(null);
    long soon = clock.nanoTime() + END_AHEAD.toNanos();
    if (decision == null) {
      run.reporter().event(EventKinds.PHASE_END, "decided_alone", phase.name());
      record(phase, reached);
      return reached ? Math.min(limit, soon) : limit;
    }
    record(phase, decision.reached());
    return Math.min(limit, Math.max(soon, decisions.nanoTime(decision)));
  }

  private BooleanSupplier decidedOrOverdue(PhaseDecisions decisions, int number) {
    boolean ownPace = run.plan().phases().get(number).until() == Until.STEADY;
    long timeout = ownPace ? Long.MAX_VALUE : PhaseDecisions.DECISION_TIMEOUT.toNanos();
    long[] reachedNanoTime = {Long.MAX_VALUE};
    return () -> {
      if (reachedNanoTime[0] == Long.MAX_VALUE && goal.reached()) {
        reachedNanoTime[0] = clock.nanoTime();
      }
      boolean reached = reachedNanoTime[0] != Long.MAX_VALUE;
      return decisions.decision(number).isPresent()
          || (reached && decisions.leaderLost())
          || (reached && clock.nanoTime() - reachedNanoTime[0] > timeout);
    };
  }

  private Duration until(long nanoTime) {
    return Duration.ofNanos(Math.max(0, nanoTime - clock.nanoTime()));
  }

  private void record(PhasePlan phase, boolean reached) {
    if (phase.until() == Until.TIME) {
      return;
    }
    String label = phase.until().label();
    String missing = reached ? goal.outcome() : goal.missing();
    run.reporter().event(EventKinds.PHASE_END, reached ? label : "not_" + label, missing);
    if (reached) {
      return;
    }
    String line =
        String.format(
            "%s: ended at its limit of %s: %s",
            phase.name(), ProgressLine.clock(phase.duration()), missing);
    if (phase.until() == Until.RETENTION_REACHED) {
      // The measure phase would not measure what it is meant to.
      run.state().fail(line);
    } else {
      run.reporter().print("warning: " + line);
      missedGoals.add(line);
    }
  }

  /** Phases that ended at their limit before they reached their goal, a line each. */
  List<String> missedGoals() {
    return List.copyOf(missedGoals);
  }
}
