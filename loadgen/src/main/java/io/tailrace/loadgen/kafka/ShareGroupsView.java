// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeShareGroupsOptions;
import org.apache.kafka.clients.admin.ListShareGroupOffsetsSpec;
import org.apache.kafka.clients.admin.SharePartitionOffsetInfo;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.TopicPartition;

/** The same for share groups, whose members may be assigned the same partitions. */
final class ShareGroupsView extends GroupsView {
  private final Admin client;

  ShareGroupsView(Admin client) {
    super(client);
    this.client = client;
  }

  @Override
  Optional<Map<String, Group>> describe(List<String> groups) {
    DescribeShareGroupsOptions options =
        new DescribeShareGroupsOptions().timeoutMs((int) REQUEST.toMillis());
    return known(
        client.describeShareGroups(groups, options).describedGroups(),
        group ->
            new Group(
                group.groupState() == GroupState.STABLE,
                group.members().stream()
                    .map(m -> new Member(m.clientId(), m.assignment().topicPartitions()))
                    .toList()));
  }

  /**
   * Each log's end minus the messages that members have not acknowledged. A share group commits
   * nothing and works in no order, so this is a count that is used like an offset.
   */
  @Override
  public Optional<long[]> committed(String groupId, String topic, int partitions) {
    // Ends first: messages that are written in between then count as unread, not as read.
    Optional<Map<String, long[]>> ends = ends(Map.of(topic, partitions));
    Optional<Map<TopicPartition, SharePartitionOffsetInfo>> known =
        TopicAdmin.ask(
            client
                .listShareGroupOffsets(Map.of(groupId, new ListShareGroupOffsetsSpec()))
                .partitionsToOffsetInfo(groupId),
            REQUEST);
    if (ends.isEmpty() || known.isEmpty()) {
      return Optional.empty();
    }
    Map<TopicPartition, Long> read = new HashMap<>();
    known
        .get()
        .forEach(
            (partition, info) -> {
              if (info != null
                  && partition.topic().equals(topic)
                  && partition.partition() < partitions) {
                long end = ends.get().get(topic)[partition.partition()];
                read.put(partition, info.lag().map(lag -> end - lag).orElse(info.startOffset()));
              }
            });
    return Optional.of(
        LogOffsets.byTopic(Map.of(topic, partitions), read, offset -> offset).get(topic));
  }
}
