// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.kafka.LeadersView;
import io.tailrace.loadgen.kafka.PartitionLeader;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.EventRecorder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Records changes beside the load: of partition leaders, and steps of the system's clock. */
final class ClockAndLeaderWatch implements AutoCloseable {
  private static final long LEADERS_SECONDS = 2;
  private static final long CLOCK_SECONDS = 10;

  private record Partition(String topic, int number) {}

  private final NanoClock clock;
  private final EventRecorder events;
  private final Map<Partition, Integer> leaders = new HashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "tailrace-watch");
            thread.setDaemon(true);
            return thread;
          });

  ClockAndLeaderWatch(NanoClock clock, EventRecorder events) {
    this.clock = clock;
    this.events = events;
  }

  void watchClock() {
    timer.scheduleWithFixedDelay(this::checkClock, CLOCK_SECONDS, CLOCK_SECONDS, TimeUnit.SECONDS);
  }

  /** Records the current leaders, then checks every 2 s which have changed. */
  void watchLeaders(LeadersView view, List<PartitionLeader> first) {
    recordChanges(first);
    timer.scheduleWithFixedDelay(
        () -> view.now().ifPresent(this::recordChanges),
        LEADERS_SECONDS,
        LEADERS_SECONDS,
        TimeUnit.SECONDS);
  }

  private void checkClock() {
    long step = clock.resync();
    if (step != 0) {
      events.event(
          clock.epochMicros(),
          EventKinds.CLOCK_STEP,
          "realtime",
          "{\"step_us\":%d}".formatted(step));
    }
  }

  void recordChanges(List<PartitionLeader> now) {
    long time = clock.epochMicros();
    for (PartitionLeader leader : now) {
      Partition partition = new Partition(leader.topic(), leader.partition());
      Integer before = leaders.put(partition, leader.leader());
      if (before != null && before == leader.leader()) {
        continue;
      }
      events.leader(time, leader.topic(), leader.partition(), leader.leader(), leader.host());
      if (before != null) {
        events.event(
            time,
            EventKinds.LEADER_CHANGE,
            leader.topic() + "/" + leader.partition(),
            "{\"from\":%d,\"to\":%d}".formatted(before, leader.leader()));
      }
    }
  }

  /** Stops, waiting up to 10 s for the current check. */
  @Override
  public void close() {
    timer.shutdownNow();
    try {
      timer.awaitTermination(10, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
