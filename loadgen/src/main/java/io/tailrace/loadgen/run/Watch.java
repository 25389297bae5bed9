// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

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

/**
 * Notes, beside the load, what changes under a run: leaders of partitions, and the system's clock.
 */
final class Watch implements AutoCloseable {
  private static final long LEADERS_SECONDS = 2;
  private static final long CLOCK_SECONDS = 10;

  private record Place(String topic, int partition) {}

  private final NanoClock clock;
  private final EventRecorder events;
  private final Map<Place, Integer> leaders = new HashMap<>();
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "tailrace-watch");
            thread.setDaemon(true);
            return thread;
          });

  Watch(NanoClock clock, EventRecorder events) {
    this.clock = clock;
    this.events = events;
  }

  /** Looks at the clock every 10 s. */
  void clock() {
    timer.scheduleWithFixedDelay(this::lookAtClock, CLOCK_SECONDS, CLOCK_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Records the leaders there are, then looks every 2 s for those that have changed.
   *
   * @param first all partitions of the run
   */
  void leaders(LeadersView view, List<PartitionLeader> first) {
    look(first);
    timer.scheduleWithFixedDelay(
        () -> lookAtLeaders(view), LEADERS_SECONDS, LEADERS_SECONDS, TimeUnit.SECONDS);
  }

  private void lookAtClock() {
    long step = clock.resync();
    if (step != 0) {
      events.event(
          clock.epochMicros(), "clock_step", "realtime", "{\"step_us\":%d}".formatted(step));
    }
  }

  private void lookAtLeaders(LeadersView view) {
    try {
      view.now().ifPresent(this::look);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Notes those that are not as they were. */
  void look(List<PartitionLeader> now) {
    long time = clock.epochMicros();
    for (PartitionLeader leader : now) {
      Place place = new Place(leader.topic(), leader.partition());
      Integer before = leaders.put(place, leader.leader());
      if (before != null && before == leader.leader()) {
        continue;
      }
      events.leader(time, leader.topic(), leader.partition(), leader.leader(), leader.host());
      if (before != null) {
        events.event(
            time,
            "leader_change",
            leader.topic() + "/" + leader.partition(),
            "{\"from\":%d,\"to\":%d}".formatted(before, leader.leader()));
      }
    }
  }

  /** Ends it; what it is doing may take 10 s yet. */
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
