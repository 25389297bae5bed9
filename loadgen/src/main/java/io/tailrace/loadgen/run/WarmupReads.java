// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.TopicAdmin;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.PhasePlan;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.record.Recorders;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/**
 * Reads the run's topics to their ends before the run's own consumers do, with consumers like them
 * that record nothing. A JVM reads several times as slowly in its first second as later.
 */
final class WarmupReads {
  private static final Duration GROUPS = Duration.ofSeconds(60);
  private static final Duration GOODBYE = Duration.ofSeconds(10);

  private final Plan plan;
  private final Load load;
  private final TopicAdmin admin;
  private final NanoClock clock;
  private final EventRecorder events;
  private final RunState state;
  private final Waiter waiter;
  private final StartTime startTime;
  private final PrintStream out;

  /**
   * @param load that of the run, for what its topics are
   * @param startTime nothing is waited for beyond it
   */
  WarmupReads(
      Plan plan,
      Load load,
      TopicAdmin admin,
      NanoClock clock,
      EventRecorder events,
      RunState state,
      Waiter waiter,
      StartTime startTime,
      PrintStream out) {
    this.plan = plan;
    this.load = load;
    this.admin = admin;
    this.clock = clock;
    this.events = events;
    this.state = state;
    this.waiter = waiter;
    this.startTime = startTime;
    this.out = out;
  }

  /**
   * Reads as often as the plan says.
   *
   * @return whether the run is to go on
   */
  boolean read() throws InterruptedException {
    int times = plan.behaviour().consume().warmupReads();
    for (int number = 1; number <= times; number++) {
      if (!read(number, times)) {
        return false;
      }
    }
    return true;
  }

  private boolean read(int number, int times) throws InterruptedException {
    // Each worker by itself: a group that others come and go in would rebalance all the time.
    String suffix = "-warmup-" + number + "-" + plan.worker();
    Plan alike = plan.readOnly(id -> id + suffix);
    Recorders unrecorded = new Recorders(0, 0, false);
    Load readers = new Load(alike, load.partitions(), clock, unrecorded, state::fail);
    try {
      readers.startConsumers();
      if (!waiter.await(startTime.atMost(GROUPS), readers::consumersReady)) {
        return late("not all partitions were assigned", GROUPS);
      }
      PhasePlan measure = measure();
      PhaseEnd end = new PhaseEnd(alike, readers, admin.offsets(load.partitions()));
      end.begin(measure);
      final long began = clock.nanoTime();
      readers.release();
      if (!waiter.await(startTime.atMost(measure.duration()), end::reached)) {
        return late(end.missing(), measure.duration());
      }
      told(number, times, readers.received(), clock.nanoTime() - began);
      return true;
    } finally {
      readers.close();
      waiter.awaitToTheEnd(GOODBYE, readers::consumersEnded);
    }
  }

  private PhasePlan measure() {
    return plan.phases().stream()
        .filter(phase -> phase.until() == PhasePlan.Until.END_READ)
        .findFirst()
        .orElseThrow();
  }

  private boolean late(String what, Duration usual) {
    if (!state.ending()) {
      state.fail("warmupReads: " + what + " " + startTime.tooLate(usual));
    }
    return false;
  }

  private void told(int number, int times, long messages, long nanos) {
    String line =
        String.format(
            Locale.ROOT,
            "warm-up read %d of %d: %d messages in %.2f s, unrecorded",
            number,
            times,
            messages,
            nanos / 1e9);
    out.println(line);
    events.event(clock.epochMicros(), "consumers", "warmup_read", String.valueOf(messages));
  }
}
