// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.ClientConfigNames.Owner;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a driver file comes to for one kind of client: those common properties the client knows,
 * under its own section, over Tailrace's defaults.
 */
public final class EffectiveConfig {
  private static final String AUTO_COMMIT = "enable.auto.commit";

  /**
   * A consumer starts at the beginning so that it misses nothing, and leaves committing to
   * Tailrace, as OMB's drivers do.
   */
  private static final Map<String, String> CONSUMER_DEFAULTS =
      Map.of("auto.offset.reset", "earliest", AUTO_COMMIT, "false");

  /**
   * The clients' own default, rebootstrap, throws away what they know of the cluster when no broker
   * answers, and send() then blocks for max.block.ms on every message: the schedule would stand
   * still for as long as the brokers are away.
   */
  private static final Map<String, String> PRODUCER_DEFAULTS =
      Map.of("metadata.recovery.strategy", "none");

  /**
   * Hundreds of beans in JMX, and metrics pushed to the brokers, are a good quarter of what making
   * a client costs, and nobody here reads them.
   */
  private static final Map<String, String> CLIENT_DEFAULTS =
      Map.of("metric.reporters", "", "enable.metrics.push", "false");

  private EffectiveConfig() {}

  /** The configuration of {@code owner}; of the topic for {@link Owner#TOPIC}. */
  public static SortedMap<String, String> of(Driver driver, Owner owner, ClientConfigNames names) {
    SortedMap<String, String> config = new TreeMap<>();
    if (owner == Owner.TOPIC) {
      config.putAll(driver.topicConfig());
      return config;
    }
    if (owner != Owner.ADMIN) {
      config.putAll(CLIENT_DEFAULTS);
    }
    if (owner == Owner.CONSUMER) {
      config.putAll(CONSUMER_DEFAULTS);
    } else if (owner == Owner.PRODUCER) {
      config.putAll(PRODUCER_DEFAULTS);
    }
    driver
        .commonConfig()
        .forEach(
            (name, value) -> {
              if (names.names(owner).contains(name)) {
                config.put(name, value);
              }
            });
    if (owner == Owner.PRODUCER) {
      config.putAll(driver.producerConfig());
    } else if (owner == Owner.CONSUMER) {
      config.putAll(driver.consumerConfig());
      translateCommitLinger(config);
    }
    return config;
  }

  /**
   * The forks commit from their own code at this interval; Kafka's automatic commit does just that.
   */
  private static void translateCommitLinger(Map<String, String> config) {
    String linger = config.remove(Driver.COMMIT_LINGER);
    if (linger != null) {
      config.put(AUTO_COMMIT, "true");
      config.put("auto.commit.interval.ms", linger);
    }
  }
}
