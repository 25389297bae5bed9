// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.pace.ConstantFlow;
import io.tailrace.loadgen.pace.Course;
import io.tailrace.loadgen.pace.Flow;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.PhasePlan;
import io.tailrace.loadgen.plan.PhasePlan.Until;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.workload.RateSpec.Pacing;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Offers the load of one phase after the other, each from the moment on at which the last ended.
 */
final class LoadPhases {
  // A turn lies this far ahead, so that every producer hears of it before it is there.
  private static final Duration LEAD = Duration.ofMillis(250);
  private static final Duration PAUSE = Duration.ofSeconds(30);

  private final Plan plan;
  private final Load load;
  private final NanoClock clock;
  private final Timeline timeline;
  private final EventRecorder events;
  private final Waiter waiter;
  private final RunState state;
  private final PrintStream out;
  private final PhaseEnd end;
  private final RateSearch search = new RateSearch();
  private final List<String> verdicts = new ArrayList<>();
  private Course course;
  private boolean paused;
  private boolean delayed;
  private long consumeFromNanoTime;

  LoadPhases(
      Plan plan,
      Load load,
      PhaseEnd end,
      NanoClock clock,
      Timeline timeline,
      EventRecorder events,
      Waiter waiter,
      RunState state,
      PrintStream out) {
    this.plan = plan;
    this.load = load;
    this.end = end;
    this.clock = clock;
    this.timeline = timeline;
    this.events = events;
    this.waiter = waiter;
    this.state = state;
    this.out = out;
  }

  /**
   * Offers the load of all phases.
   *
   * @param startNanoTime reading of the clock at which the first one begins
   * @return reading of the clock at which the last one ended, or is to end in a moment; what is
   *     said when the run is ending has no meaning
   */
  long offer(long startNanoTime) throws InterruptedException {
    course = new Course(startNanoTime);
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
      course.follow(flow(phase), phase.until() == Until.VOLUME_SENT);
      // Where time alone ends a phase its end is known now; a thread that is late must not move it.
      boolean timed = phase.until() == Until.TIME && phase.pacing() != Pacing.DISCOVER;
      if (timed) {
        course.turn(at + phase.duration().toNanos());
      }
      timeline.plan(phase.name(), at, phase.duration());
      if (i == 0) {
        load.begin(course);
      }
      at = lastsUntil(phase, at);
      if (!timed) {
        course.turn(at);
      }
      load.wakeProducers();
    }
    course.end();
    return at;
  }

  /** Phases that came to their limit without what they waited for, a line each. */
  List<String> verdicts() {
    return List.copyOf(verdicts);
  }

  private Flow flow(PhasePlan phase) {
    return switch (phase.pacing()) {
      case FIXED -> Flows.of(phase.rate(), plan.behaviour().arrivals());
      case UNLIMITED -> null;
      case DISCOVER -> new ConstantFlow(search.found());
    };
  }

  /** Waits until little is left of a phase, or what it is to wait for has come. */
  private long lastsUntil(PhasePlan phase, long begin) throws InterruptedException {
    long limit = begin + phase.duration().toNanos();
    waiter.await(untilNanoTime(begin), () -> false);
    load.release();
    pause(phase);
    end.begin(phase);
    if (phase.pacing() == Pacing.DISCOVER && phase.kind() != PhasePlan.Kind.MEASURE) {
      discover(limit);
    }
    boolean reached = waiter.await(untilNanoTime(limit - LEAD.toNanos()), end::reached);
    if (state.ending()) {
      return limit;
    }
    told(phase, reached);
    return reached ? Math.min(limit, clock.nanoTime() + LEAD.toNanos()) : limit;
  }

  private Duration untilNanoTime(long nanoTime) {
    return Duration.ofNanos(Math.max(0, nanoTime - clock.nanoTime()));
  }

  /** Lets consumers go whose start was delayed, when it is time. */
  void step() {
    if (delayed && clock.nanoTime() >= consumeFromNanoTime) {
      delayed = false;
      load.pauseConsumers(paused);
      events.event(clock.epochMicros(), "consumers", "resumed", "");
    }
  }

  private void pause(PhasePlan phase) {
    load.pauseConsumers(phase.consumersPaused() || delayed);
    boolean before = paused;
    paused = phase.consumersPaused();
    if (before != paused && waiter.await(PAUSE, load::pauseSettled)) {
      events.event(clock.epochMicros(), "consumers", paused ? "paused" : "resumed", "");
    }
  }

  /** Tries rate after rate until the phase is over. */
  private void discover(long limit) {
    long step = RateSearch.STEP.toNanos();
    while (limit - clock.nanoTime() > step + LEAD.toNanos() && !state.ending()) {
      long acked = load.acked();
      long turn = clock.nanoTime() + LEAD.toNanos();
      course.turn(turn);
      course.follow(new ConstantFlow(search.rate()), false);
      load.wakeProducers();
      double offered = search.rate();
      waiter.await(untilNanoTime(turn + step), () -> false);
      double groups = (double) load.groups().size() / load.topics().size();
      double perSecond = (load.acked() - acked) / ((double) (step + LEAD.toNanos()) / 1e9);
      search.step(load.behindNanos(), perSecond, load.backlog(), groups);
      events.event(
          clock.epochMicros(),
          "rate",
          "discover",
          String.format(
              Locale.ROOT,
              "{\"offered\":%.1f,\"acked\":%.1f,\"found\":%.1f}",
              offered,
              perSecond,
              search.found()));
    }
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
