// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.LogOffsets;
import io.tailrace.loadgen.plan.PhasePlan;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.workload.Backlog.BacklogSpec;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Whether a phase has reached its goal, and what is missing when it has not. For one thread. */
final class PhaseGoal {
  /** A backlog this small counts as none: under load there are always some messages on the way. */
  private static final long NO_BACKLOG = 1000;

  private static final Duration ASK_BROKERS_EVERY = Duration.ofMillis(500);
  private static final Duration CHECK_EVERY = Duration.ofMillis(50);

  private final Plan plan;
  private final Load load;
  private final LogOffsets offsets;
  private final Optional<SteadyWatch> steady;
  private Optional<Map<String, long[]>> offsetsAtBegin = Optional.empty();
  private Optional<Map<String, long[]>> startsAtBegin = Optional.empty();
  private PhasePlan phase;
  private long beginNanoTime;
  private long backlogAtBegin;
  private final Interval interval = new Interval();
  private String missing = "";

  /** Without a watch, no phase may wait for a steady load. */
  PhaseGoal(Plan plan, Load load, LogOffsets offsets, Optional<SteadyWatch> steady) {
    this.plan = plan;
    this.load = load;
    this.offsets = offsets;
    this.steady = steady;
  }

  void begin(PhasePlan begun) {
    phase = begun;
    interval.restart();
    beginNanoTime = System.nanoTime();
    backlogAtBegin = load.backlog();
    missing = "the brokers did not report their offsets";
    startsAtBegin = begun.until() == PhasePlan.Until.END_READ ? offsets.starts() : Optional.empty();
    offsetsAtBegin =
        switch (begun.until()) {
          case RETENTION_REACHED -> offsets.starts();
          case END_READ -> offsets.ends();
          default -> Optional.empty();
        };
  }

  /** Whether the phase can end before its limit. */
  boolean reached() {
    return switch (phase.until()) {
      case TIME -> false;
      case VOLUME_SENT -> load.volumeSent();
      case RETENTION_REACHED -> interval.elapsed(ASK_BROKERS_EVERY) && retentionReached();
      case END_READ -> interval.elapsed(CHECK_EVERY) && endRead();
      case BACKLOG_BUILT -> interval.elapsed(CHECK_EVERY) && backlogBuilt();
      case BACKLOG_DRAINED -> interval.elapsed(CHECK_EVERY) && backlogDrained();
      case STEADY -> steady.orElseThrow().steady() && elapsed().compareTo(phase.least()) >= 0;
    };
  }

  private Duration elapsed() {
    return Duration.ofNanos(System.nanoTime() - beginNanoTime);
  }

  /** How the goal was reached, where the time of that does not state it. */
  String outcome() {
    return phase.until() == PhasePlan.Until.STEADY ? "after " + elapsed().toSeconds() + " s" : "";
  }

  /** What is missing at the phase's limit; empty where the limit is the plan. */
  String missing() {
    return switch (phase.until()) {
      case TIME -> "";
      case VOLUME_SENT -> "not all of the volume was sent";
      case RETENTION_REACHED, END_READ -> missing;
      case STEADY -> steady.orElseThrow().moving();
      case BACKLOG_BUILT -> "a backlog of " + load.backlog() + " messages was built";
      case BACKLOG_DRAINED ->
          String.format(
              Locale.ROOT,
              "%d messages are left of a backlog of %d",
              load.backlog(),
              backlogAtBegin);
    };
  }

  private boolean retentionReached() {
    Optional<Map<String, long[]>> now = offsets.starts();
    if (offsetsAtBegin.isEmpty() || now.isEmpty()) {
      offsetsAtBegin = offsetsAtBegin.or(() -> now);
      return false;
    }
    long all = 0;
    long advanced = 0;
    for (Map.Entry<String, long[]> topic : now.get().entrySet()) {
      long[] before = offsetsAtBegin.get().get(topic.getKey());
      for (int partition = 0; partition < before.length; partition++) {
        all++;
        advanced += topic.getValue()[partition] > before[partition] ? 1 : 0;
      }
    }
    missing = "log start offsets had advanced on " + advanced + " of " + all + " partitions";
    return advanced == all;
  }

  private boolean endRead() {
    if (offsetsAtBegin.isEmpty() || startsAtBegin.isEmpty()) {
      return false;
    }
    if (load.shared().isPresent()) {
      missing = "some group had not read to the end";
      return load.shared().get().readUpTo(startsAtBegin.get(), offsetsAtBegin.get());
    }
    Optional<ConsumerGroup> behind =
        load.groups().stream()
            .filter(
                group ->
                    !group.readUpTo(
                        startsAtBegin.get().get(group.topic()),
                        offsetsAtBegin.get().get(group.topic())))
            .findFirst();
    missing = behind.map(group -> "group " + group.id() + " had not read to the end").orElse("");
    return behind.isEmpty();
  }

  private boolean backlogBuilt() {
    BacklogSpec goal = plan.backlog().orElseThrow();
    long backlog = load.backlog();
    double bytes = backlog * plan.payload().meanBytes();
    return (goal.messages().isPresent() && backlog >= goal.messages().getAsLong())
        || (goal.bytes().isPresent() && bytes >= goal.bytes().getAsLong());
  }

  private boolean backlogDrained() {
    double left = (1 - plan.backlog().orElseThrow().drainRatio()) * backlogAtBegin;
    return load.backlog() <= Math.max(NO_BACKLOG, left);
  }
}
