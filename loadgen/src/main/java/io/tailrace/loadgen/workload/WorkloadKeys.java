// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The keys of workload files, and who gives them a meaning. */
final class WorkloadKeys {
  private static final Map<String, Set<Dialect>> OF_OTHERS = new LinkedHashMap<>();

  static {
    known(
        EnumSet.allOf(Dialect.class),
        "name",
        "topics",
        "partitionsPerTopic",
        "keyDistributor",
        "messageSize",
        "useRandomizedPayloads",
        "randomBytesRatio",
        "randomizedPayloadPoolSize",
        "payloadFile",
        "subscriptionsPerTopic",
        "producersPerTopic",
        "consumerPerSubscription",
        "producerRate",
        "consumerBacklogSizeGB",
        "testDurationMinutes",
        "warmupDurationMinutes");
    known(EnumSet.of(Dialect.OMB, Dialect.AUTOMQ), "backlogDrainRatio");
    known(EnumSet.of(Dialect.OMB), "messageSizeDistribution", "consumeDelaySeconds");
    known(EnumSet.of(Dialect.REDPANDA, Dialect.VANLIGHTLY), "sampleRateMillis");
    known(
        EnumSet.of(Dialect.REDPANDA),
        "existingTopicList",
        "existingProduceTopicList",
        "existingConsumeTopicList");
    known(
        EnumSet.of(Dialect.VANLIGHTLY),
        "backlogProducerRate",
        "warmupProducerRate",
        "warmupProducerRateSeparationMinutes");
    known(
        EnumSet.of(Dialect.AUTOMQ),
        "logIntervalMillis",
        "partitionsPerTopicList",
        "producersPerTopicList",
        "producerRateList",
        "randomTopicNames");
  }

  /** Keys that only Tailrace knows. */
  private static final Set<String> OURS =
      Set.of(
          "abortWhen",
          "arrivals",
          "backlog",
          "bytes",
          "consumerThreads",
          "consumerType",
          "cooldownDuration",
          "dialect",
          "drainTimeout",
          "headers",
          "keys",
          "measureAfter",
          "messages",
          "processingTime",
          "rateCurve",
          "readToEnd",
          "repeat",
          "retentionFill",
          "sampleEvery",
          "seed",
          "slo",
          "testDuration",
          "traceOneIn",
          "transactions",
          "vary",
          "warmupDuration",
          "warmupRate",
          "warmupReads");

  /** Every key of a workload file. */
  static final Set<String> ALL =
      Stream.concat(OF_OTHERS.keySet().stream(), OURS.stream())
          .collect(Collectors.toUnmodifiableSet());

  private WorkloadKeys() {}

  /** The dialects that give {@code key} a meaning; Tailrace's knows all keys. */
  static Set<Dialect> dialects(String key) {
    Set<Dialect> dialects = EnumSet.of(Dialect.TAILRACE);
    dialects.addAll(OF_OTHERS.getOrDefault(key, Set.of()));
    return dialects;
  }

  /** Whether no other tool knows {@code key}. */
  static boolean ours(String key) {
    return OURS.contains(key);
  }

  private static void known(Set<Dialect> dialects, String... keys) {
    for (String key : keys) {
      OF_OTHERS.put(key, dialects);
    }
  }
}
