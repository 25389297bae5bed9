// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.loadgen.workload.Workload;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A plan as JSON for people and for a run's manifest: what will be offered, what it needs, without
 * secrets.
 */
public final class PlanReport {
  private PlanReport() {}

  /**
   * Pretty-printed JSON. Times in seconds, sizes in bytes; counts are of the whole run unless they
   * say worker.
   */
  public static String json(Plan plan, Workload workload) {
    DefaultPrettyPrinter printer = new DefaultPrettyPrinter();
    printer.indentArraysWith(DefaultIndenter.SYSTEM_LINEFEED_INSTANCE);
    try {
      return new ObjectMapper()
          .enable(JsonGenerator.Feature.WRITE_BIGDECIMAL_AS_PLAIN)
          .writer(printer)
          .writeValueAsString(tree(plan, workload));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("maps of text and numbers cannot fail to be written", e);
    }
  }

  private static Map<String, Object> tree(Plan plan, Workload workload) {
    int producers = workload.topics() * workload.producersPerTopic();
    int groups = workload.topics() * workload.subscriptionsPerTopic();
    long messages = plan.phases().stream().mapToLong(PlanReport::messages).sum();
    long bytes = messages * plan.payload().bytes();

    Map<String, Object> tree = new LinkedHashMap<>();
    tree.put("run_id", plan.runId());
    tree.put("workload", plan.workloadName());
    tree.put("driver", plan.driverName());
    tree.put("seed", plan.seed());
    tree.put("worker", plan.worker());
    tree.put("workers", plan.workers());
    tree.put("topics", plan.topics().stream().map(PlanReport::topic).toList());
    tree.put("partitions", (long) workload.topics() * workload.partitionsPerTopic());
    tree.put("replication_factor", plan.replicationFactor());
    tree.put("producers", producers);
    tree.put("consumers", groups * workload.consumersPerSubscription());
    tree.put("consumer_groups", groups);
    tree.put("worker_producers", plan.producers().size());
    tree.put("worker_consumers", plan.consumers().size());
    tree.put("message_bytes", plan.payload().bytes());
    tree.put("payload", payloadSource(workload));
    tree.put("messages_per_second", number(workload.producerRate()));
    tree.put("bytes_per_second", number(workload.producerRate() * plan.payload().bytes()));
    tree.put("phases", plan.phases().stream().map(phase -> phase(phase, plan)).toList());
    tree.put("drain_timeout_seconds", number(seconds(plan.drainTimeout())));
    tree.put("expected_messages", messages);
    tree.put("expected_deliveries", messages * workload.subscriptionsPerTopic());
    tree.put("expected_bytes", bytes);
    tree.put("disk_bytes", bytes * plan.replicationFactor());
    tree.put("topic_config", Secrets.masked(plan.topicConfig()));
    tree.put("admin_config", Secrets.masked(plan.adminConfig()));
    tree.put("producer_config", Secrets.masked(plan.producerConfig()));
    tree.put("consumer_config", Secrets.masked(plan.consumerConfig()));
    return tree;
  }

  private static Map<String, Object> topic(Plan.TopicPlan topic) {
    return ordered(List.of("name", "partitions"), List.of(topic.name(), topic.partitions()));
  }

  private static Map<String, Object> phase(Plan.PhasePlan phase, Plan plan) {
    long messages = messages(phase);
    return ordered(
        List.of("name", "seconds", "messages_per_second", "messages", "bytes"),
        List.of(
            phase.name(),
            number(seconds(phase.duration())),
            number(phase.messagesPerSecond()),
            messages,
            messages * plan.payload().bytes()));
  }

  private static Map<String, Object> ordered(List<String> names, List<Object> values) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < names.size(); i++) {
      map.put(names.get(i), values.get(i));
    }
    return map;
  }

  private static String payloadSource(Workload workload) {
    return workload
        .payload()
        .map(file -> "file " + file.path())
        .orElse(GeneratedPayload.DESCRIPTION);
  }

  private static long messages(Plan.PhasePlan phase) {
    return Math.round(phase.messagesPerSecond() * seconds(phase.duration()));
  }

  /** As people write it: 20000 rather than 2.0E4. */
  private static BigDecimal number(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros();
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
