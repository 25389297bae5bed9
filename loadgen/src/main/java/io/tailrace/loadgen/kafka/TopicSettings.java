// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.common.config.ConfigResource;

/**
 * The settings of a topic that decide when its messages are durable and when they are deleted, as
 * its brokers apply them. A broker's own configuration may differ from any driver file, which makes
 * a comparison unfair.
 */
final class TopicSettings {
  private static final Duration ANSWER = Duration.ofSeconds(10);

  /** Of Kafka and Redpanda; settings that a broker does not know are left out. */
  private static final List<String> DURABLE =
      List.of(
          "flush.bytes",
          "flush.messages",
          "flush.ms",
          "min.insync.replicas",
          "unclean.leader.election.enable",
          "write.caching");

  /** What may delete or replace messages, and how soon. */
  private static final List<String> DELETING =
      List.of(
          "cleanup.policy",
          "max.compaction.lag.ms",
          "min.compaction.lag.ms",
          "retention.bytes",
          "retention.ms",
          "segment.bytes",
          "segment.ms");

  private TopicSettings() {}

  /** As JSON, values as text; empty when the brokers do not answer. */
  static Optional<String> durable(Admin client, String topic) throws InterruptedException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    DescribeConfigsOptions options =
        new DescribeConfigsOptions().timeoutMs((int) ANSWER.toMillis());
    return TopicAdmin.answer(client.describeConfigs(List.of(resource), options).all(), ANSWER)
        .map(described -> json(described.get(resource), DURABLE));
  }

  /** By topic, as JSON, values as text; empty when the brokers do not answer. */
  static Optional<Map<String, String>> deleting(Admin client, Collection<String> topics) {
    List<ConfigResource> asked =
        topics.stream().map(name -> new ConfigResource(ConfigResource.Type.TOPIC, name)).toList();
    DescribeConfigsOptions options =
        new DescribeConfigsOptions().timeoutMs((int) ANSWER.toMillis());
    return TopicAdmin.ask(client.describeConfigs(asked, options).all(), ANSWER)
        .map(
            described ->
                described.entrySet().stream()
                    .collect(
                        Collectors.toMap(
                            entry -> entry.getKey().name(),
                            entry -> json(entry.getValue(), DELETING))));
  }

  private static String json(Config config, List<String> names) {
    return names.stream()
        .filter(name -> config.get(name) != null && config.get(name).value() != null)
        .map(name -> "\"%s\":\"%s\"".formatted(name, config.get(name).value()))
        .collect(Collectors.joining(",", "{", "}"));
  }
}
