// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.agreement.Decision;
import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.pace.ConstantRate;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.pace.RateSchedule;
import io.tailrace.loadgen.plan.PhasePlan;
import io.tailrace.loadgen.workload.Rate.RateSpec.Pacing;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/**
 * Offers one rate after another until a phase is over. Of several workers the leader judges a rate
 * by what all of them have written to the logs, and the others offer the rate that it announces.
 */
final class RateFinder {
  /** A step's rate begins this far ahead, so that every producer knows it before. */
  private static final Duration STEP_AHEAD = Duration.ofMillis(250);

  // What other workers have sent appears in the logs after about this long.
  private static final double ON_THE_WAY_S = 1;

  private static final Set<PhasePlan.Kind> SEARCHED =
      EnumSet.of(PhasePlan.Kind.WARMUP, PhasePlan.Kind.SETTLE);

  private final RunContext run;
  private final Load load;
  private final NanoClock clock;
  private final Optional<PhaseDecisions> commonDecisions;
  private final RateSearch search = new RateSearch();
  private double foundByLeader;

  /** Without common decisions, the worker is the only one. */
  RateFinder(RunContext run, Optional<PhaseDecisions> commonDecisions) {
    this.run = run;
    this.load = run.load();
    this.clock = run.clock();
    this.commonDecisions = commonDecisions;
  }

  /** Whether a phase looks for the rate that later ones use. */
  static boolean searchesIn(PhasePlan phase) {
    return phase.pacing() == Pacing.DISCOVER && SEARCHED.contains(phase.kind());
  }

  /** The highest sustained rate so far, by this worker's search or by the leader's. */
  double found() {
    return foundByLeader > 0 ? foundByLeader : search.found();
  }

  /** Offers rates until too little is left of the phase for another one. */
  void find(int phase, RateSchedule schedule, long limit) {
    if (commonDecisions.isEmpty()) {
      while (isTimeFor(STEP_AHEAD, limit)) {
        step(schedule, clock.nanoTime() + STEP_AHEAD.toNanos());
      }
    } else if (commonDecisions.get().leads()) {
      lead(commonDecisions.get(), phase, schedule, limit);
    } else {
      follow(commonDecisions.get(), phase, schedule, limit);
    }
    run.reporter().event(EventKinds.RATE, "found", "%.1f", found());
    run.reporter().print("rate found: %.0f messages/s", found());
  }

  private boolean isTimeFor(Duration ahead, long limit) {
    long step = RateSearch.STEP.plus(ahead).plus(STEP_AHEAD).toNanos();
    return limit - clock.nanoTime() > step && !run.state().ending();
  }

  private void step(RateSchedule schedule, long startNanoTime) {
    long acked = load.acked();
    long before = clock.nanoTime();
    double offered = offer(schedule, startNanoTime, search.rate());
    double groups = (double) load.groups().size() / load.topics().size();
    double perSecond = (load.acked() - acked) / ((clock.nanoTime() - before) / 1e9);
    search.step(load.behindNanos(), perSecond, load.backlog(), groups);
    report(offered, perSecond);
  }

  /**
   * The leader knows how late its own producers are, and of the other workers only what the logs
   * hold. So it sums what all workers should have sent since the search began ({@code intended}:
   * each rate for as long as it was offered); what of it is missing from the logs, divided by the
   * rate, is how many seconds all of them are behind.
   */
  private void lead(PhaseDecisions decisions, int phase, RateSchedule schedule, long limit) {
    SharedGroups all = load.shared().orElseThrow();
    long began = clock.nanoTime();
    long appendedBefore = all.appended();
    double intended = 0;
    double rate = search.found();
    while (isTimeFor(PhaseDecisions.ANNOUNCE_AHEAD, limit)) {
      long startNanoTime = clock.nanoTime() + PhaseDecisions.ANNOUNCE_AHEAD.toNanos();
      decisions.announceRate(phase, startNanoTime, false, search.rate(), found());
      long appended = all.appended();
      long from = clock.nanoTime();
      intended += rate * (startNanoTime - began) / 1e9;
      rate = offer(schedule, startNanoTime, search.rate());
      began = startNanoTime;
      long appendedNow = all.appended();
      long now = clock.nanoTime();
      double perSecond = (appendedNow - appended) / ((now - from) / 1e9);
      double missing =
          intended + rate * (now - startNanoTime) / 1e9 - (appendedNow - appendedBefore);
      double late = Math.max(load.behindNanos() / 1e9, missing / rate - ON_THE_WAY_S);
      search.step(
          (long) (Math.max(0, late) * 1e9), perSecond, load.backlog(), all.groupsPerTopic());
      report(rate, perSecond);
    }
    decisions.announceRate(phase, clock.nanoTime(), true, rate, found());
  }

  private void follow(PhaseDecisions decisions, int phase, RateSchedule schedule, long limit) {
    long[] last = new long[1];
    run.waits()
        .await(
            Duration.ofNanos(Math.max(0, limit - clock.nanoTime() - STEP_AHEAD.toNanos())),
            () -> {
              decisions
                  .decision(phase)
                  .filter(decision -> decision.number() != last[0])
                  .ifPresent(
                      decision -> {
                        last[0] = decision.number();
                        follow(schedule, decision, decisions.nanoTime(decision));
                      });
              return false;
            });
  }

  private void follow(RateSchedule schedule, Decision decision, long startNanoTime) {
    foundByLeader = decision.found();
    if (!decision.reached()) {
      long earliest = clock.nanoTime() + STEP_AHEAD.toNanos();
      begin(schedule, Math.max(startNanoTime, earliest), decision.rate());
    }
  }

  private double offer(RateSchedule schedule, long startNanoTime, double rate) {
    begin(schedule, startNanoTime, rate);
    long end = startNanoTime + RateSearch.STEP.toNanos();
    run.waits().await(Duration.ofNanos(Math.max(0, end - clock.nanoTime())), () -> false);
    return rate;
  }

  private void begin(RateSchedule schedule, long startNanoTime, double rate) {
    schedule.endSegment(startNanoTime);
    schedule.append(new ConstantRate(rate), false);
    load.wakeProducers();
  }

  private void report(double offered, double perSecond) {
    run.reporter()
        .event(
            EventKinds.RATE,
            "discover",
            "{\"offered\":%.1f,\"acked\":%.1f,\"found\":%.1f}",
            offered,
            perSecond,
            search.found());
    run.reporter()
        .print(
            "rate search: offered %.0f/s, acked %.0f/s: %s",
            offered, perSecond, search.lastResult());
  }
}
