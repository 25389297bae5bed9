// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.pace.BurstRate;
import io.tailrace.loadgen.pace.ConstantRate;
import io.tailrace.loadgen.pace.CurveRate;
import io.tailrace.loadgen.pace.RateFunction;
import io.tailrace.loadgen.pace.RateSchedule;
import io.tailrace.loadgen.plan.PhasePlan;
import io.tailrace.loadgen.plan.PhasePlan.Until;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.ship.EventPipeline;
import io.tailrace.loadgen.workload.Produce.ArrivalSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec.Point;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Offers the load of one phase after the other; each begins when the one before it ends. */
final class PhaseSequence {
  // How long producers that are behind at the end of the last phase send overdue messages.
  private static final Duration CATCH_UP = Duration.ofSeconds(10);

  private final RunContext run;
  private final Plan plan;
  private final ConsumerPauses pauses;
  private final PhaseGoal goal;
  private final RateFinder finder;
  private final PhaseWait wait;
  private boolean running;
  private long sendingEndsNanoTime = System.nanoTime();

  PhaseSequence(RunContext run, EventPipeline pipeline) {
    this.run = run;
    this.plan = run.plan();
    Optional<PhaseDecisions> decisions =
        run.isLoneWorker() ? Optional.empty() : Optional.of(new PhaseDecisions(run));
    this.pauses = new ConsumerPauses(run);
    this.goal =
        new PhaseGoal(
            plan,
            run.load(),
            run.admin().offsets(run.load().partitions()),
            Optional.of(new SteadyWatch(run.load(), pipeline)));
    this.finder = new RateFinder(run, decisions);
    this.wait = new PhaseWait(run, goal, decisions);
  }

  /** Offers the load of all phases. Returns just before the last phase ends. */
  void run() {
    running = true;
    long begin = run.startTime().nanoTime();
    RateSchedule schedule = new RateSchedule(begin);
    pauses.delayStart(begin);
    for (int i = 0; i < plan.phases().size() && mayBegin(i); i++) {
      begin = runPhase(i, schedule, begin);
    }
    schedule.close();
    sendingEndsNanoTime = begin + CATCH_UP.toNanos();
    run.timeline().plan(Timeline.DRAIN, begin, plan.drainTimeout());
  }

  /** Without the leader a worker goes on to the end of its phase, no further. */
  private boolean mayBegin(int number) {
    if (run.state().ending() || run.agreement().leaderLost().isEmpty()) {
      return !run.state().ending();
    }
    PhasePlan next = plan.phases().get(number);
    run.reporter().warn("phases_skipped", "worker 0 is lost: " + next.name() + " does not begin");
    return false;
  }

  /**
   * Offers the load of one phase; returns the reading of the clock at which it ends, meaningless
   * when the run is ending.
   */
  private long runPhase(int number, RateSchedule schedule, long begin) {
    PhasePlan phase = plan.phases().get(number);
    schedule.append(rate(phase), phase.until() == Until.VOLUME_SENT);
    long limit = begin + phase.duration().toNanos();
    // Where time alone ends a phase its end is known now; a thread that is late must not move it.
    boolean timed = phase.until() == Until.TIME && !RateFinder.searchesIn(phase);
    if (timed) {
      schedule.endSegment(limit);
    }
    run.timeline().plan(phase.name(), begin, phase.duration());
    if (number == 0) {
      run.load().begin(schedule);
    }
    wait.awaitNanoTime(begin);
    run.load().release();
    goal.begin(phase); // before consumers go on: it counts what they have to catch up with
    pauses.begin(phase);
    // Later phases use the rate that was found; while consumers pause no rate can be judged.
    if (RateFinder.searchesIn(phase)) {
      finder.find(number, schedule, limit);
    }
    long end = wait.untilEnd(number, limit);
    if (!timed) {
      schedule.endSegment(end);
    }
    run.load().wakeProducers();
    return end;
  }

  /** The rate that producers follow; null for maximum throughput. */
  private RateFunction rate(PhasePlan phase) {
    return switch (phase.pacing()) {
      case FIXED -> planned(phase.rate(), plan.behaviour().arrivals());
      case UNLIMITED -> null;
      case DISCOVER -> new ConstantRate(finder.found());
    };
  }

  private static RateFunction planned(List<Point> points, ArrivalSpec arrivals) {
    RateFunction rate =
        points.size() == 1
            ? new ConstantRate(points.get(0).messagesPerSecond())
            : new CurveRate(
                points.stream()
                    .map(point -> new CurveRate.Point(point.at(), point.messagesPerSecond()))
                    .toList());
    return arrivals.pattern() == ArrivalSpec.Pattern.BURSTS
        ? new BurstRate(rate, arrivals.every(), arrivals.lasting())
        : rate;
  }

  /** True from the first phase to the end of the drain. */
  boolean running() {
    return running;
  }

  void tick() {
    pauses.tick();
  }

  void end() {
    running = false;
  }

  /** When the last worker stops sending at the latest, a reading of the clock. */
  long sendingEndsNanoTime() {
    return sendingEndsNanoTime;
  }

  List<String> missedGoals() {
    return wait.missedGoals();
  }
}
