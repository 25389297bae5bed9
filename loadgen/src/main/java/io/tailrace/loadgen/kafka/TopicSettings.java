// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.Config;
import org.apache.kafka.clients.admin.DescribeConfigsOptions;
import org.apache.kafka.common.config.ConfigResource;

/**
 * The settings that decide when a topic's messages are durable, as its brokers apply them. A
 * broker's own configuration may differ from any driver file, which makes a comparison unfair.
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

  private TopicSettings() {}

  /** As JSON, values as text; empty when the brokers do not answer. */
  static Optional<String> durable(Admin client, String topic) throws InterruptedException {
    ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
    DescribeConfigsOptions options =
        new DescribeConfigsOptions().timeoutMs((int) ANSWER.toMillis());
    return TopicAdmin.answer(client.describeConfigs(List.of(resource), options).all(), ANSWER)
        .map(described -> json(described.get(resource)));
  }

  private static String json(Config config) {
    return DURABLE.stream()
        .filter(name -> config.get(name) != null && config.get(name).value() != null)
        .map(name -> "\"%s\":\"%s\"".formatted(name, config.get(name).value()))
        .collect(Collectors.joining(",", "{", "}"));
  }
}
