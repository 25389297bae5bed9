// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.plan.PhasePlan.Kind;
import io.tailrace.loadgen.plan.PhasePlan.Until;
import io.tailrace.loadgen.workload.Backlog.BacklogSpec;
import io.tailrace.loadgen.workload.Behaviour;
import io.tailrace.loadgen.workload.Phases.PhasesSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec.Origin;
import io.tailrace.loadgen.workload.Rate.RateSpec.Pacing;
import io.tailrace.loadgen.workload.Rate.RateSpec.Point;
import io.tailrace.loadgen.workload.Workload;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** Plans a workload's phases in order, each with its rate. */
final class PhasePlanner {
  private final PhasesSpec spec;
  private final Behaviour behaviour;
  private final List<PhasePlan> phases = new ArrayList<>();
  private Duration start = Duration.ZERO;

  private PhasePlanner(Workload workload) {
    this.spec = workload.phases();
    this.behaviour = workload.behaviour();
  }

  static List<PhasePlan> of(Workload workload) {
    return new PhasePlanner(workload).phases();
  }

  private List<PhasePlan> phases() {
    warmup();
    timed(Kind.SETTLE, spec.settle(), OptionalDouble.empty());
    spec.fill()
        .ifPresent(
            fill -> add(Kind.RETENTION_FILL, fill.timeout(), Until.RETENTION_REACHED, fill.rate()));
    spec.backlog().filter(BacklogSpec::beforeMeasure).ifPresent(this::backlog);
    add(Kind.MEASURE, spec.measure(), measureUntil(), OptionalDouble.empty());
    spec.backlog().filter(backlog -> !backlog.beforeMeasure()).ifPresent(this::backlog);
    timed(Kind.COOLDOWN, spec.cooldown(), OptionalDouble.empty());
    return phases;
  }

  private void warmup() {
    if (spec.steadyWithin().isEmpty()) {
      timed(Kind.WARMUP, spec.warmup(), spec.warmupRate());
      return;
    }
    Duration most = spec.steadyWithin().get();
    add(Kind.WARMUP, most, spec.warmup(), Until.STEADY, spec.warmupRate());
  }

  private Until measureUntil() {
    if (behaviour.readToEnd()) {
      return Until.END_READ;
    }
    return behaviour.messages().isPresent() ? Until.VOLUME_SENT : Until.TIME;
  }

  private void backlog(BacklogSpec backlog) {
    boolean sized = backlog.bytes().isPresent() || backlog.messages().isPresent();
    boolean timed = !backlog.lasting().isZero();
    boolean timeIsFirst = timed && backlog.lasting().compareTo(backlog.buildTimeout()) < 0;
    Duration atMost = timeIsFirst || !sized ? backlog.lasting() : backlog.buildTimeout();
    Until until = sized ? Until.BACKLOG_BUILT : Until.TIME;
    add(Kind.BACKLOG_BUILD, atMost, until, backlog.buildRate());
    add(Kind.BACKLOG_DRAIN, backlog.drainTimeout(), Until.BACKLOG_DRAINED, OptionalDouble.empty());
  }

  private void timed(Kind kind, Duration duration, OptionalDouble rate) {
    if (!duration.isZero()) {
      add(kind, duration, Until.TIME, rate);
    }
  }

  private void add(Kind kind, Duration duration, Until until, OptionalDouble own) {
    add(kind, duration, Duration.ZERO, until, own);
  }

  private void add(Kind kind, Duration duration, Duration least, Until until, OptionalDouble own) {
    RateSpec rate = behaviour.rate();
    boolean paused = kind == Kind.BACKLOG_BUILD;
    Pacing pacing = own.isPresent() ? Pacing.FIXED : rate.pacing();
    List<Point> points =
        own.isPresent()
            ? List.of(new Point(Duration.ZERO, own.getAsDouble()))
            : pacing == Pacing.FIXED ? points(rate, kind, duration) : List.of();
    phases.add(new PhasePlan(kind, duration, least, until, pacing, points, paused));
    start = start.plus(duration);
  }

  private List<Point> points(RateSpec rate, Kind kind, Duration duration) {
    if (rate.curve().isEmpty()) {
      return List.of(new Point(Duration.ZERO, rate.messagesPerSecond()));
    }
    if (rate.origin() != Origin.MEASURE) {
      return PhaseCurve.of(rate, start, duration);
    }
    if (kind == Kind.MEASURE) {
      return rate.curve();
    }
    List<Point> curve = rate.curve();
    boolean before = phases.stream().noneMatch(phase -> phase.kind() == Kind.MEASURE);
    double edge = curve.get(before ? 0 : curve.size() - 1).messagesPerSecond();
    return List.of(new Point(Duration.ZERO, edge));
  }
}
