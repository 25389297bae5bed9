// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.TopicPartitionInfo;

/** The leaders of the partitions of some topics. */
public final class LeadersView {
  private static final Duration REQUEST = Duration.ofSeconds(5);

  private final Admin client;
  private final List<String> topics;

  LeadersView(Admin client, List<String> topics) {
    this.client = client;
    this.topics = topics;
  }

  /** The leaders now, id -1 where there is none; empty when the brokers do not answer. */
  public Optional<List<PartitionLeader>> now() {
    return TopicAdmin.ask(client.describeTopics(topics).allTopicNames(), REQUEST)
        .map(described -> leaders(described.values()));
  }

  static List<PartitionLeader> leaders(Collection<TopicDescription> topics) {
    List<PartitionLeader> leaders = new ArrayList<>();
    for (TopicDescription topic : topics) {
      for (TopicPartitionInfo partition : topic.partitions()) {
        boolean led = partition.leader() != null && !partition.leader().isEmpty();
        leaders.add(
            new PartitionLeader(
                topic.name(),
                partition.partition(),
                led ? partition.leader().id() : -1,
                led ? partition.leader().host() : ""));
      }
    }
    return leaders;
  }
}
