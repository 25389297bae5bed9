// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.kafka.PartitionLeader;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.Recorders;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClockAndLeaderWatchTest {
  private final Recorders recorders = new Recorders(1 << 20);

  private static PartitionLeader leader(int partition, int broker) {
    return new PartitionLeader("t", partition, broker, "host-" + broker);
  }

  @Test
  void aLeaderIsARowWhenItChangesAndAChangeIsAnEvent() {
    try (ClockAndLeaderWatch watch =
        new ClockAndLeaderWatch(NanoClock.system(), recorders.events())) {
      watch.recordChanges(List.of(leader(0, 1), leader(1, 2)));
      assertThat(rows()).isEqualTo("2 leaders, 0 events");
      watch.recordChanges(List.of(leader(0, 1), leader(1, 2)));
      assertThat(rows()).isEqualTo("2 leaders, 0 events");
      watch.recordChanges(List.of(leader(0, 1), leader(1, -1)));
      assertThat(rows()).isEqualTo("3 leaders, 1 events");
      watch.recordChanges(List.of(leader(0, 1), leader(1, 3)));
      assertThat(rows()).isEqualTo("4 leaders, 2 events");
    }
  }

  private String rows() {
    return "%d leaders, %d events"
        .formatted(
            recorders.leaderLogs().get(0).available(), recorders.eventLogs().get(0).available());
  }
}
