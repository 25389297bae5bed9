// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;

/**
 * A consumer's configuration for share groups: some settings belong to the whole group at the
 * broker, and those that a share consumer does not know are left out.
 */
final class ShareGroupConfig {
  private static final Map<String, String> OF_THE_GROUP =
      Map.of(
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "share.auto.offset.reset",
          ConsumerConfig.ISOLATION_LEVEL_CONFIG, "share.isolation.level");

  // A share consumer refuses these.
  private static final Set<String> NOT_FOR_THE_CLIENT =
      Set.of(
          ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
          ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
          ConsumerConfig.GROUP_INSTANCE_ID_CONFIG,
          ConsumerConfig.ISOLATION_LEVEL_CONFIG,
          ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG,
          ConsumerConfig.INTERCEPTOR_CLASSES_CONFIG,
          ConsumerConfig.SESSION_TIMEOUT_MS_CONFIG,
          ConsumerConfig.HEARTBEAT_INTERVAL_MS_CONFIG,
          ConsumerConfig.GROUP_PROTOCOL_CONFIG,
          ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG);

  private ShareGroupConfig() {}

  /** Settings of the group, by the broker's names. */
  static Map<String, String> of(Map<String, String> consumerConfig) {
    Map<String, String> settings = new HashMap<>();
    OF_THE_GROUP.forEach(
        (key, name) -> {
          String value = consumerConfig.get(key);
          if (value != null) {
            settings.put(name, value);
          }
        });
    return settings;
  }

  static Map<String, String> ofClient(Map<String, String> consumerConfig) {
    Map<String, String> settings = new HashMap<>(consumerConfig);
    settings.keySet().removeAll(NOT_FOR_THE_CLIENT);
    return settings;
  }
}
