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

/** Whether what a phase waits for has come, and what to say when it did not. For one thread. */
final class PhaseEnd {
  /** A backlog this small counts as none: under load there are always some messages on the way. */
  private static final long ALWAYS_LEFT = 1000;

  private static final long ASK_NANOS = Duration.ofMillis(500).toNanos();
  private static final long LOOK_NANOS = Duration.ofMillis(50).toNanos();

  private final Plan plan;
  private final Load load;
  private final LogOffsets offsets;
  private Optional<Map<String, long[]>> atStart = Optional.empty();
  private Optional<Map<String, long[]>> startsThen = Optional.empty();
  private PhasePlan phase;
  private long backlogAtStart;
  private long askedNanoTime;
  private String missing = "";

  PhaseEnd(Plan plan, Load load, LogOffsets offsets) {
    this.plan = plan;
    this.load = load;
    this.offsets = offsets;
  }

  /** A phase begins now. */
  void begin(PhasePlan begun) throws InterruptedException {
    phase = begun;
    askedNanoTime = System.nanoTime();
    backlogAtStart = load.backlog();
    missing = "the brokers did not tell their offsets";
    startsThen = begun.until() == PhasePlan.Until.END_READ ? offsets.starts() : Optional.empty();
    atStart =
        switch (begun.until()) {
          case RETENTION_REACHED -> offsets.starts();
          case END_READ -> offsets.ends();
          default -> Optional.empty();
        };
  }

  /** Whether the phase can end before its time. */
  boolean reached() {
    return switch (phase.until()) {
      case TIME -> false;
      case VOLUME_SENT -> load.volumeSent();
      case RETENTION_REACHED -> due(ASK_NANOS) && retentionReached();
      case END_READ -> due(LOOK_NANOS) && endRead();
      case BACKLOG_BUILT -> due(LOOK_NANOS) && backlogBuilt();
      case BACKLOG_DRAINED -> due(LOOK_NANOS) && backlogDrained();
    };
  }

  /** What was missing when the phase came to its limit; empty where the limit is the plan. */
  String missing() {
    return switch (phase.until()) {
      case TIME -> "";
      case VOLUME_SENT -> "not all of the volume was sent";
      case RETENTION_REACHED, END_READ -> missing;
      case BACKLOG_BUILT -> "a backlog of " + load.backlog() + " messages was built";
      case BACKLOG_DRAINED ->
          String.format(
              Locale.ROOT,
              "%d messages are left of a backlog of %d",
              load.backlog(),
              backlogAtStart);
    };
  }

  /** Messages acknowledged and not received when the phase began. */
  long backlogAtStart() {
    return backlogAtStart;
  }

  private boolean due(long everyNanos) {
    long now = System.nanoTime();
    if (now - askedNanoTime < everyNanos) {
      return false;
    }
    askedNanoTime = now;
    return true;
  }

  private boolean retentionReached() {
    Optional<Map<String, long[]>> now = asked();
    if (atStart.isEmpty() || now.isEmpty()) {
      atStart = atStart.or(() -> now);
      return false;
    }
    long all = 0;
    long advanced = 0;
    for (Map.Entry<String, long[]> topic : now.get().entrySet()) {
      long[] before = atStart.get().get(topic.getKey());
      for (int partition = 0; partition < before.length; partition++) {
        all++;
        advanced += topic.getValue()[partition] > before[partition] ? 1 : 0;
      }
    }
    missing = "log start offsets had advanced on " + advanced + " of " + all + " partitions";
    return advanced == all;
  }

  private Optional<Map<String, long[]>> asked() {
    try {
      return offsets.starts();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private boolean endRead() {
    if (atStart.isEmpty() || startsThen.isEmpty()) {
      return false;
    }
    if (load.shared().isPresent()) {
      missing = "some group had not read to the end";
      return load.shared().get().readUpTo(startsThen.get(), atStart.get());
    }
    Optional<ConsumerGroup> behind =
        load.groups().stream()
            .filter(
                group ->
                    !group.readUpTo(
                        startsThen.get().get(group.topic()), atStart.get().get(group.topic())))
            .findFirst();
    missing = behind.map(group -> "group " + group.id() + " had not read to the end").orElse("");
    return behind.isEmpty();
  }

  private boolean backlogBuilt() {
    BacklogSpec wanted = plan.backlog().orElseThrow();
    long backlog = load.backlog();
    double bytes = backlog * plan.payload().meanBytes();
    return (wanted.messages().isPresent() && backlog >= wanted.messages().getAsLong())
        || (wanted.bytes().isPresent() && bytes >= wanted.bytes().getAsLong());
  }

  private boolean backlogDrained() {
    double left = (1 - plan.backlog().orElseThrow().drainRatio()) * backlogAtStart;
    return load.backlog() <= Math.max(ALWAYS_LEFT, left);
  }
}
