// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The configuration of one kind of client: those common properties of the driver file that the
 * client knows, under its own section, over Tailrace's defaults.
 */
public final class ClientConfig {
  /** A kind of client, or the topic. */
  public enum Owner {
    TOPIC,
    ADMIN,
    PRODUCER,
    CONSUMER
  }

  /**
   * What the Kafka client library knows about configuration. An interface, because only {@code
   * kafka} may import the library.
   */
  public interface Names {
    /** All names that {@code owner} knows. */
    Set<String> names(Owner owner);

    /** Why {@code value} is invalid for {@code name}, in one line; empty when it is valid. */
    Optional<String> badValue(Owner owner, String name, String value);

    /** Why valid values exclude each other, in one line; empty when they do not. */
    Optional<String> conflict(Owner owner, Map<String, String> config);
  }

  private static final String AUTO_COMMIT = "enable.auto.commit";

  /**
   * A consumer starts at the beginning so that it misses nothing, and leaves committing to
   * Tailrace, as OMB's drivers do.
   */
  private static final Map<String, String> CONSUMER_DEFAULTS =
      Map.of("auto.offset.reset", "earliest", AUTO_COMMIT, "false");

  /**
   * With the clients' own default, rebootstrap, a producer forgets the cluster when no broker
   * answers, and each send() then blocks for max.block.ms: the schedule would stop for as long as
   * the brokers are away.
   */
  private static final Map<String, String> PRODUCER_DEFAULTS =
      Map.of("metadata.recovery.strategy", "none");

  /**
   * Hundreds of beans in JMX and metrics pushed to the brokers are a good quarter of the cost of
   * making a client, and Tailrace does not read them.
   */
  private static final Map<String, String> CLIENT_DEFAULTS =
      Map.of("metric.reporters", "", "enable.metrics.push", "false");

  private static final Pattern SERVER =
      Pattern.compile("(?:[\\w.-]+://)?(?:[\\w.%-]+|\\[[\\da-fA-F:.%]+]):(\\d{1,5})");

  private ClientConfig() {}

  /** The configuration of {@code owner}; of the topic for {@link Owner#TOPIC}. */
  public static SortedMap<String, String> of(Driver driver, Owner owner, Names names) {
    if (owner == Owner.TOPIC) {
      return new TreeMap<>(driver.topicConfig());
    }
    SortedMap<String, String> config = new TreeMap<>();
    if (owner != Owner.ADMIN) {
      config.putAll(CLIENT_DEFAULTS);
      config.putAll(owner == Owner.CONSUMER ? CONSUMER_DEFAULTS : PRODUCER_DEFAULTS);
    }
    Set<String> known = names.names(owner);
    driver.commonConfig().entrySet().stream()
        .filter(property -> known.contains(property.getKey()))
        .forEach(property -> config.put(property.getKey(), property.getValue()));
    if (owner == Owner.PRODUCER) {
      config.putAll(driver.producerConfig());
    } else if (owner == Owner.CONSUMER) {
      config.putAll(driver.consumerConfig());
      translateCommitLinger(config);
    }
    return config;
  }

  /** The forks commit at this interval in their own code, as Kafka's automatic commit does. */
  private static void translateCommitLinger(Map<String, String> config) {
    String linger = config.remove(Driver.COMMIT_LINGER);
    if (linger != null) {
      config.put(AUTO_COMMIT, "true");
      config.put("auto.commit.interval.ms", linger);
    }
  }

  /** Why {@code list} is not {@code HOST:PORT,…}, in a few words; empty when it is. */
  public static Optional<String> badServers(String list) {
    return Arrays.stream(list.split(",", -1))
        .map(String::strip)
        .filter(server -> !isServer(server))
        .findFirst()
        .map(server -> server.isEmpty() ? "a server is empty" : server + " is not HOST:PORT");
  }

  private static boolean isServer(String text) {
    Matcher matcher = SERVER.matcher(text);
    return matcher.matches()
        && Integer.parseInt(matcher.group(1)) >= 1
        && Integer.parseInt(matcher.group(1)) <= 65_535;
  }

  /** The value of a numeric property; empty when it is not given or not a number. */
  static OptionalLong number(Map<String, String> config, String name) {
    try {
      return config.containsKey(name)
          ? OptionalLong.of(Long.parseLong(config.get(name).strip()))
          : OptionalLong.empty();
    } catch (NumberFormatException e) {
      return OptionalLong.empty(); // reported already, or the broker's to judge
    }
  }
}
