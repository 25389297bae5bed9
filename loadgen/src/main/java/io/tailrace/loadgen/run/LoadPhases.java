// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.pace.ConstantRate;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.pace.RateFunction;
import io.tailrace.loadgen.pace.RateSchedule;
import io.tailrace.loadgen.plan.PhasePlan;
import io.tailrace.loadgen.plan.PhasePlan.Until;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.workload.Rate.RateSpec.Pacing;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;

/**
 * Offers the load of one phase after the other, each from the moment on at which the last ended.
 */
final class LoadPhases {
  // A turn lies this far ahead, so that every producer hears of it before it is there.
  private static final Duration LEAD = Duration.ofMillis(250);

  private static final Set<PhasePlan.Kind> SEARCHED =
      EnumSet.of(PhasePlan.Kind.WARMUP, PhasePlan.Kind.SETTLE);

  /** What ends a phase for all workers at once; a volume ends each one's own part. */
  private static final Set<Until> TOGETHER =
      EnumSet.of(
          Until.RETENTION_REACHED, Until.END_READ, Until.BACKLOG_BUILT, Until.BACKLOG_DRAINED);

  private final Plan plan;
  private final Load load;
  private final NanoClock clock;
  private final Timeline timeline;
  private final EventRecorder events;
  private final Waiter waiter;
  private final RunState state;
  private final PrintStream out;
  private final PhaseEnd end;
  private final SharedTurns shared;
  private final RateFinder finder;
  private final List<String> verdicts = new ArrayList<>();
  private RateSchedule course;
  private boolean paused;
  private boolean settling;
  private boolean delayed;
  private long consumeFromNanoTime;

  /**
   * @param shared where several workers' common turns are kept, or null for a lone worker
   */
  LoadPhases(
      Plan plan,
      Load load,
      PhaseEnd end,
      NanoClock clock,
      Timeline timeline,
      EventRecorder events,
      Waiter waiter,
      RunState state,
      PrintStream out,
      SharedTurns shared) {
    this.plan = plan;
    this.load = load;
    this.end = end;
    this.clock = clock;
    this.timeline = timeline;
    this.events = events;
    this.waiter = waiter;
    this.state = state;
    this.out = out;
    this.shared = shared;
    this.finder = new RateFinder(load, clock, events, waiter, state, out, shared);
  }

  /**
   * Offers the load of all phases.
   *
   * @param startNanoTime reading of the clock at which the first one begins
   * @return reading of the clock at which the last one ended, or is to end in a moment; what is
   *     said when the run is ending has no meaning
   */
  long offer(long startNanoTime) throws InterruptedException {
    course = new RateSchedule(startNanoTime);
    Duration delay = plan.behaviour().consume().delay();
    delayed = !delay.isZero();
    consumeFromNanoTime = startNanoTime + delay.toNanos();
    if (delayed) {
      load.pauseConsumers(true);
      waiter.await(untilNanoTime(startNanoTime), load::pauseSettled);
    }
    long at = startNanoTime;
    for (int i = 0; i < plan.phases().size() && !state.ending(); i++) {
      PhasePlan phase = plan.phases().get(i);
      course.append(flow(phase), phase.until() == Until.VOLUME_SENT);
      // Where time alone ends a phase its end is known now; a thread that is late must not move it.
      boolean timed = phase.until() == Until.TIME && !searched(phase);
      if (timed) {
        course.endSegment(at + phase.duration().toNanos());
      }
      timeline.plan(phase.name(), at, phase.duration());
      if (i == 0) {
        load.begin(course);
      }
      at = lastsUntil(i, at);
      if (!timed) {
        course.endSegment(at);
      }
      load.wakeProducers();
    }
    course.close();
    return at;
  }

  /** Phases that came to their limit without what they waited for, a line each. */
  List<String> verdicts() {
    return List.copyOf(verdicts);
  }

  private RateFunction flow(PhasePlan phase) {
    return switch (phase.pacing()) {
      case FIXED -> Flows.of(phase.rate(), plan.behaviour().arrivals());
      case UNLIMITED -> null;
      case DISCOVER -> new ConstantRate(finder.found());
    };
  }

  /** Waits until little is left of a phase, or what it is to wait for has come. */
  private long lastsUntil(int number, long begin) throws InterruptedException {
    PhasePlan phase = plan.phases().get(number);
    long limit = begin + phase.duration().toNanos();
    waiter.await(untilNanoTime(begin), () -> false);
    load.release();
    end.begin(phase); // before consumers go on: it counts what they have to catch up with
    pause(phase);
    // Later ones have what was found, and while consumers pause no rate can be judged.
    if (searched(phase)) {
      finder.find(number, course, limit);
    }
    if (shared != null && TOGETHER.contains(phase.until())) {
      return shared.leads() ? ledUntil(number, limit) : followedUntil(number, limit);
    }
    boolean reached = waiter.await(untilNanoTime(limit - LEAD.toNanos()), end::reached);
    if (state.ending()) {
      return limit;
    }
    told(phase, reached);
    return reached ? Math.min(limit, clock.nanoTime() + LEAD.toNanos()) : limit;
  }

  private static boolean searched(PhasePlan phase) {
    return phase.pacing() == Pacing.DISCOVER && SEARCHED.contains(phase.kind());
  }

  /** Worker 0 decides for all. */
  private long ledUntil(int number, long limit) throws InterruptedException {
    long lead = SharedTurns.LEAD.toNanos();
    boolean reached = waiter.await(untilNanoTime(limit - lead), end::reached);
    if (state.ending()) {
      return limit;
    }
    long at = reached ? Math.min(limit, clock.nanoTime() + lead) : limit;
    shared.announce(number, at, reached, 0, 0);
    told(plan.phases().get(number), reached);
    return at;
  }

  /** The others follow, and decide by themselves only where worker 0 says nothing. */
  private long followedUntil(int number, long limit) throws InterruptedException {
    long patience = SharedTurns.PATIENCE.toNanos();
    long[] seen = {Long.MAX_VALUE};
    BooleanSupplier over =
        () -> {
          if (seen[0] == Long.MAX_VALUE && end.reached()) {
            seen[0] = clock.nanoTime();
          }
          return shared.turn(number).isPresent()
              || (seen[0] != Long.MAX_VALUE && clock.nanoTime() - seen[0] > patience);
        };
    boolean ended = waiter.await(untilNanoTime(limit - LEAD.toNanos()), over);
    if (state.ending()) {
      return limit;
    }
    SharedTurns.Turn turn = shared.turn(number).orElse(null);
    if (turn == null) {
      events.event(
          clock.epochMicros(), "phase_end", "decided_alone", plan.phases().get(number).name());
    }
    told(plan.phases().get(number), turn == null ? ended : turn.reached());
    long soon = clock.nanoTime() + LEAD.toNanos();
    return Math.min(limit, turn == null ? (ended ? soon : limit) : Math.max(soon, turn.nanoTime()));
  }

  private Duration untilNanoTime(long nanoTime) {
    return Duration.ofNanos(Math.max(0, nanoTime - clock.nanoTime()));
  }

  /**
   * Lets consumers go whose start was delayed, when it is time, and tells when all do as they were
   * told. Nothing waits for that: a consumer may be in the middle of a rebalance.
   */
  void step() {
    if (settling && load.pauseSettled()) {
      settling = false;
      events.event(clock.epochMicros(), "consumers", paused ? "paused" : "resumed", "");
    }
    if (delayed && clock.nanoTime() >= consumeFromNanoTime) {
      delayed = false;
      load.pauseConsumers(paused);
      events.event(clock.epochMicros(), "consumers", "resumed", "");
    }
  }

  private void pause(PhasePlan phase) {
    load.pauseConsumers(phase.consumersPaused() || delayed);
    settling |= paused != phase.consumersPaused();
    paused = phase.consumersPaused();
  }

  /** Tells how a phase that waited for something ended. */
  private void told(PhasePlan phase, boolean reached) {
    if (phase.until() == Until.TIME) {
      return;
    }
    String name = reached ? phase.until().label() : "not_" + phase.until().label();
    String missing = reached ? "" : end.missing();
    events.event(clock.epochMicros(), "phase_end", name, missing);
    if (reached) {
      return;
    }
    String line =
        String.format(
            "%s: ended at its limit of %s: %s",
            phase.name(), ProgressLine.clock(phase.duration()), missing);
    if (phase.until() == Until.RETENTION_REACHED) {
      // What was to be measured cannot be any more.
      state.fail(line);
    } else {
      out.println("warning: " + line);
      verdicts.add(line);
    }
  }
}
