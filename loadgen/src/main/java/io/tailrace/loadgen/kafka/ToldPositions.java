// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
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
  private final Admin client;
  private final Map<String, long[]> told = new ConcurrentHashMap<>();

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
   * @param positions offsets up to which this worker has read, an entry per partition; 0 for none
   */
  void tell(String groupId, String topic, long[] positions) {
    long[] before = told.getOrDefault(groupId, new long[positions.length]);
    Map<TopicPartition, OffsetAndMetadata> ahead = new HashMap<>();
    for (int partition = 0; partition < positions.length; partition++) {
      if (positions[partition] > before[partition]) {
        ahead.put(
            new TopicPartition(topic, partition), new OffsetAndMetadata(positions[partition]));
      }
    }
    if (!ahead.isEmpty()) {
      told.put(groupId, Arrays.copyOf(positions, positions.length));
      AlterConsumerGroupOffsetsOptions options =
          new AlterConsumerGroupOffsetsOptions().timeoutMs((int) GroupsView.REQUEST.toMillis());
      client
          .alterConsumerGroupOffsets(of(groupId), ahead, options)
          .all()
          .whenComplete(
              (done, failure) -> {
                if (failure != null) {
                  told.remove(groupId); // all of it again, the next time
                }
              });
    }
  }
}
