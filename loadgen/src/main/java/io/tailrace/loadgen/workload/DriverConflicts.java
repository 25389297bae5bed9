// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.ClientConfigNames.Owner;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * What a workload asks for and its driver file makes impossible. Told at the workload's key, since
 * one driver file serves many workloads.
 */
final class DriverConflicts {
  /** Least that a batch adds to the message in it. */
  private static final int BATCH_OVERHEAD = 61;

  private static final long TRANSACTION_TIMEOUT = 60_000;
  private static final String ISOLATION = "isolation.level";

  private final Workload workload;
  private final Driver driver;
  private final Fields fields;
  private final ClientConfigNames names;
  private final boolean sound;

  private DriverConflicts(
      Workload workload, Driver driver, Fields fields, ClientConfigNames names, boolean sound) {
    this.workload = workload;
    this.driver = driver;
    this.fields = fields;
    this.names = names;
    this.sound = sound;
  }

  /**
   * @param fields the workload's, for the lines of its keys
   * @param sound whether both files are good so far, so that their numbers can be reckoned with
   */
  static void check(
      Workload workload, Driver driver, Fields fields, ClientConfigNames names, boolean sound) {
    DriverConflicts conflicts = new DriverConflicts(workload, driver, fields, names, sound);
    if (workload.topics().stream().anyMatch(topic -> topic.producers() > 0)) {
      conflicts.sizes();
      conflicts.transactions();
    }
    if (workload.phases().fill().isPresent()) {
      conflicts.retention();
    }
  }

  /** Every send of such a message would fail. */
  private void sizes() {
    Map<String, String> producer = EffectiveConfig.of(driver, Owner.PRODUCER, names);
    tooLarge(producer, "max.request.size", 1 << 20, "producerConfig");
    tooLarge(producer, "buffer.memory", 32 << 20, "producerConfig");
    boolean plain = producer.getOrDefault("compression.type", "none").strip().equals("none");
    if (plain && driver.topicConfig().containsKey("max.message.bytes")) {
      tooLarge(driver.topicConfig(), "max.message.bytes", Long.MAX_VALUE, "topicConfig");
    }
  }

  private void tooLarge(Map<String, String> config, String name, long usual, String section) {
    KeySpec keys = workload.behaviour().keys();
    int key = keys.choice() == KeySpec.Choice.NONE ? 0 : keys.bytes();
    int most = workload.message().size().most();
    long limit = number(config, name).orElse(usual);
    if ((long) most + key + BATCH_OVERHEAD > limit) {
      String what = most + " bytes do not fit the driver's " + name + " of " + limit;
      fields.add(sizeKey(), what, "raise it in " + section + ", or send smaller messages");
    }
  }

  private String sizeKey() {
    for (String key : new String[] {"messageSizeDistribution", "payloadFile"}) {
      if (fields.has(key)) {
        return key;
      }
    }
    return "messageSize";
  }

  private void transactions() {
    boolean own = workload.behaviour().transactions().isPresent();
    OptionalInt drivers = driver.requestsPerTransaction();
    if (!own && drivers.isEmpty()) {
      return;
    }
    String key = own ? "transactions" : "producersPerTopic";
    Map<String, String> producer = EffectiveConfig.of(driver, Owner.PRODUCER, names);
    Map<String, String> transactional = new HashMap<>(producer);
    transactional.put("transactional.id", "any");
    if (names.conflict(Owner.PRODUCER, producer).isEmpty()) {
      names
          .conflict(Owner.PRODUCER, transactional)
          .ifPresent(what -> fields.add(key, what, "correct the driver's producerConfig"));
    }
    double aborted =
        workload.behaviour().transactions().map(TransactionSpec::abortRatio).orElse(0.0);
    String isolation =
        EffectiveConfig.of(driver, Owner.CONSUMER, names).getOrDefault(ISOLATION, "");
    if (aborted > 0 && isolation.strip().equals("read_uncommitted")) {
      String what = "with " + ISOLATION + "=read_uncommitted aborted messages would be received";
      fields.add(key, what, "remove that from the driver's consumerConfig, or abort none");
    }
    int messages =
        workload.behaviour().transactions().map(TransactionSpec::messages).orElse(0)
            + (own ? 0 : drivers.orElse(0));
    longest(key, messages, number(producer, "transaction.timeout.ms").orElse(TRANSACTION_TIMEOUT));
  }

  /** The broker aborts a transaction that is open for too long, and fences its producer. */
  private void longest(String key, int messages, long timeoutMillis) {
    RateSpec rate = workload.behaviour().rate();
    if (!sound || rate.pacing() != RateSpec.Pacing.FIXED || !rate.curve().isEmpty()) {
      return;
    }
    double weights = 0;
    double least = Double.MAX_VALUE;
    for (TopicSpec topic : workload.topics()) {
      if (topic.producers() > 0) {
        weights += topic.weight();
        least = Math.min(least, topic.weight() / topic.producers());
      }
    }
    double millis = messages / (rate.messagesPerSecond() * least / weights) * 1000;
    Duration measure = workload.phases().measure();
    if (millis > timeoutMillis && measure.toMillis() > timeoutMillis) {
      String what =
          String.format(
              "%d messages take a producer %.0f s, above transaction.timeout.ms=%d",
              messages, millis / 1000, timeoutMillis);
      fields.add(key, what, "take fewer, raise producerRate, or raise that in producerConfig");
    }
  }

  private void retention() {
    Map<String, String> topic = driver.topicConfig();
    String policy = topic.getOrDefault("cleanup.policy", "delete");
    boolean endless =
        number(topic, "retention.ms").orElse(0) == -1
            && number(topic, "retention.bytes").orElse(-1) == -1;
    if (!policy.contains("delete") || endless) {
      String what =
          "the driver's topicConfig removes nothing: "
              + (endless ? "retention.ms=-1" : "cleanup.policy=" + policy);
      fields.add("measureAfter", what, "set retention.bytes or retention.ms there, or remove it");
    }
  }

  private static OptionalLong number(Map<String, String> config, String name) {
    try {
      return config.containsKey(name)
          ? OptionalLong.of(Long.parseLong(config.get(name).strip()))
          : OptionalLong.empty();
    } catch (NumberFormatException e) {
      return OptionalLong.empty(); // told already, or the broker's to judge
    }
  }
}
