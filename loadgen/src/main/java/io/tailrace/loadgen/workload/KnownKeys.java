// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/**
 * The keys that one kind of file may hold.
 *
 * @param supported keys Tailrace acts on
 * @param unsupported keys other tools act on and Tailrace does not yet, with the tool each is from
 */
record KnownKeys(Set<String> supported, Map<String, String> unsupported) {
  private static final String OMB = "OMB";
  private static final String REDPANDA = "the Redpanda fork";
  private static final String VANLIGHTLY = "the Vanlightly fork";
  private static final String AUTOMQ = "the AutoMQ fork";

  static final KnownKeys WORKLOAD =
      new KnownKeys(
          Set.of(
              "name",
              "topics",
              "partitionsPerTopic",
              "keyDistributor",
              "messageSize",
              "payloadFile",
              "useRandomizedPayloads",
              "randomBytesRatio",
              "randomizedPayloadPoolSize",
              "subscriptionsPerTopic",
              "producersPerTopic",
              "consumerPerSubscription",
              "producerRate",
              "consumerBacklogSizeGB",
              "testDurationMinutes",
              "warmupDurationMinutes",
              "testDuration",
              "warmupDuration",
              "drainTimeout",
              "seed"),
          Map.ofEntries(
              Map.entry("backlogDrainRatio", OMB),
              Map.entry("messageSizeDistribution", OMB),
              Map.entry("consumeDelaySeconds", "a proposal to OMB"),
              Map.entry("sampleRateMillis", "the Redpanda and Vanlightly forks"),
              Map.entry("existingTopicList", REDPANDA),
              Map.entry("existingProduceTopicList", REDPANDA),
              Map.entry("existingConsumeTopicList", REDPANDA),
              Map.entry("backlogProducerRate", VANLIGHTLY),
              Map.entry("warmupProducerRate", VANLIGHTLY),
              Map.entry("warmupProducerRateSeparationMinutes", VANLIGHTLY),
              Map.entry("logIntervalMillis", AUTOMQ),
              Map.entry("partitionsPerTopicList", AUTOMQ),
              Map.entry("producersPerTopicList", AUTOMQ),
              Map.entry("producerRateList", AUTOMQ),
              Map.entry("randomTopicNames", AUTOMQ)));

  static final KnownKeys DRIVER =
      new KnownKeys(
          Set.of(
              "name",
              "driverClass",
              "replicationFactor",
              "reset",
              "topicConfig",
              "commonConfig",
              "producerConfig",
              "consumerConfig"),
          Map.of("requestsPerTransaction", REDPANDA));

  /** All keys, for finding the one that was meant. */
  Set<String> all() {
    Set<String> all = new TreeSet<>(supported);
    all.addAll(unsupported.keySet());
    return all;
  }
}
