// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeConsumerGroupsOptions;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsOptions;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;

/**
 * What the brokers know about consumer groups and logs that several workers share. Without an
 * answer within some seconds the result is empty, and the caller asks again.
 */
public class GroupsView {
  static final Duration REQUEST = Duration.ofSeconds(5);

  private final Admin client;

  record Group(boolean stable, List<Member> members) {}

  record Member(String clientId, Set<TopicPartition> assigned) {}

  /**
   * A member of a group and its partitions. Members share a client id where the driver names it.
   */
  public record Assigned(String clientId, Set<Integer> partitions) {}

  GroupsView(Admin client) {
    this.client = client;
  }

  /** The partitions of each member; empty in a rebalance or without answer. */
  public Optional<List<Assigned>> members(String groupId) {
    return describe(List.of(groupId))
        .map(found -> found.get(groupId))
        .filter(Group::stable)
        .map(
            group ->
                group.members().stream()
                    .map(
                        member ->
                            new Assigned(
                                member.clientId(),
                                member.assigned().stream()
                                    .map(TopicPartition::partition)
                                    .collect(Collectors.toSet())))
                    .toList());
  }

  /** How many clients whose ids begin with a prefix are members of groups of the run. */
  public Optional<Long> present(String runId, String clientPrefix) {
    Optional<Collection<GroupListing>> listed = TopicAdmin.ask(client.listGroups().all(), REQUEST);
    if (listed.isEmpty()) {
      return Optional.empty();
    }
    List<String> groups =
        listed.get().stream()
            .map(GroupListing::groupId)
            .filter(id -> id.startsWith(runId + "-"))
            .toList();
    return describe(groups)
        .map(
            found ->
                found.values().stream()
                    .flatMap(group -> group.members().stream())
                    .filter(member -> member.clientId().startsWith(clientPrefix))
                    .count());
  }

  Optional<Map<String, Group>> describe(List<String> groups) {
    DescribeConsumerGroupsOptions options =
        new DescribeConsumerGroupsOptions().timeoutMs((int) REQUEST.toMillis());
    return known(
        client.describeConsumerGroups(groups, options).describedGroups(),
        group ->
            new Group(
                group.groupState() == GroupState.STABLE,
                group.members().stream()
                    .map(m -> new Member(m.clientId(), m.assignment().topicPartitions()))
                    .toList()));
  }

  static <D> Optional<Map<String, Group>> known(
      Map<String, KafkaFuture<D>> described, Function<D, Group> group) {
    Map<String, Group> found = new HashMap<>();
    for (Map.Entry<String, KafkaFuture<D>> each : described.entrySet()) {
      try {
        D description = each.getValue().get(REQUEST.toMillis(), TimeUnit.MILLISECONDS);
        found.put(each.getKey(), group.apply(description));
      } catch (ExecutionException e) {
        if (!(e.getCause() instanceof GroupIdNotFoundException)) {
          return Optional.empty();
        }
      } catch (TimeoutException e) {
        return Optional.empty();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return Optional.empty();
      }
    }
    return Optional.of(found);
  }

  /** The offset after the last message of each partition, by topic; empty without answer. */
  public Optional<Map<String, long[]>> ends(Map<String, Integer> topics) {
    return new LogOffsets(client, topics).ends();
  }

  /** The offsets that a group has committed in each partition of a topic, 0 where none. */
  public Optional<long[]> committed(String groupId, String topic, int partitions) {
    return TopicAdmin.ask(
            client
                .listConsumerGroupOffsets(
                    Map.of(groupId, new ListConsumerGroupOffsetsSpec()),
                    new ListConsumerGroupOffsetsOptions().timeoutMs((int) REQUEST.toMillis()))
                .partitionsToOffsetAndMetadata(groupId),
            REQUEST)
        .map(
            found ->
                LogOffsets.byTopic(Map.of(topic, partitions), found, OffsetAndMetadata::offset)
                    .get(topic));
  }
}
