// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * How far one worker's consumers have read, for the others: committed offsets of groups that nobody
 * joins, one beside each group of the run. What the consumers commit themselves may be as old as
 * the user's commit interval, and making them commit more often would change what is measured.
 */
final class ToldPositions {
  /** So often it is said again, though it is not new: a request may fail, or come after another. */
  private static final long AGAIN_NANOS = Duration.ofSeconds(5).toNanos();

  private record Told(Map<Integer, Long> positions, long nanoTime) {}

  private final Admin client;
  private final Map<String, Told> told = new HashMap<>();

  ToldPositions(Admin client) {
    this.client = client;
  }

  /** The group that keeps what is told of a group. */
  static String of(String groupId) {
    return groupId + "-read";
  }

  /**
   * Tells what is new. Returns at once: who is not told in time sees what the group has committed.
   *
   * @param positions offsets up to which this worker has read, by partition; of those alone that
   *     its consumers are assigned now, so that no two workers tell of the same one
   */
  void tell(String groupId, String topic, Map<Integer, Long> positions) {
    Told last = told.get(groupId);
    long now = System.nanoTime();
    boolean old = last == null || now - last.nanoTime() >= AGAIN_NANOS;
    if (positions.isEmpty() || (!old && positions.equals(last.positions()))) {
      return;
    }
    told.put(groupId, new Told(Map.copyOf(positions), now));
    Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
    positions.forEach(
        (partition, offset) ->
            offsets.put(new TopicPartition(topic, partition), new OffsetAndMetadata(offset)));
    client.alterConsumerGroupOffsets(
        of(groupId),
        offsets,
        new AlterConsumerGroupOffsetsOptions().timeoutMs((int) GroupsView.REQUEST.toMillis()));
  }
}
