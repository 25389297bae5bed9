// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.plan.PhasePlan;
import io.tailrace.loadgen.plan.PlainLoad;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.plan.Plan.ConsumerPlan;
import io.tailrace.loadgen.plan.Plan.GroupPlan;
import io.tailrace.loadgen.plan.Plan.PayloadPlan;
import io.tailrace.loadgen.plan.Plan.ProducerPlan;
import io.tailrace.loadgen.plan.Plan.TopicPlan;
import io.tailrace.loadgen.workload.Behaviour;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A small plan: one topic of three partitions, two producers, one group of two consumers and one of
 * one.
 */
final class TestPlan {
  static final int PARTITIONS = 3;
  static final int GROUPS = 2;

  /** Messages that the probe sends: one to each partition. */
  static final int PROBES = PARTITIONS;

  private final String runId;
  private final String bootstrapServers;
  private final Map<String, String> producerConfig = new HashMap<>();
  private final Map<String, String> consumerConfig = new HashMap<>();
  private short replicationFactor = 1;
  private List<PhasePlan> phases =
      List.of(PlainLoad.phase(PhasePlan.Kind.MEASURE, Duration.ofSeconds(3), 500));
  private Behaviour behaviour = PlainLoad.behaviour(500);
  private Duration drainTimeout = Duration.ofSeconds(20);

  TestPlan(String runId, String bootstrapServers) {
    this.runId = runId;
    this.bootstrapServers = bootstrapServers;
  }

  TestPlan producer(String key, String value) {
    producerConfig.put(key, value);
    return this;
  }

  TestPlan consumer(String key, String value) {
    consumerConfig.put(key, value);
    return this;
  }

  TestPlan replicationFactor(int value) {
    replicationFactor = (short) value;
    return this;
  }

  TestPlan phases(PhasePlan... value) {
    phases = List.of(value);
    return this;
  }

  TestPlan behaviour(Behaviour value) {
    behaviour = value;
    return this;
  }

  TestPlan drainTimeout(Duration value) {
    drainTimeout = value;
    return this;
  }

  String topic() {
    return runId + "-topic-0";
  }

  Plan build() {
    return new Plan(
        new Plan.Identity(runId, 0, 1, 42, "test", "kafka"),
        new Plan.Config(
            replicationFactor,
            Map.of(),
            with(Map.of()),
            with(producerConfig),
            with(consumerConfig)),
        clients(),
        new PayloadPlan(List.of(new byte[100]), Optional.empty(), "given"),
        behaviour,
        new Plan.Load(phases, Optional.empty(), drainTimeout));
  }

  private Plan.Clients clients() {
    String first = runId + "-group-0";
    String second = runId + "-group-1";
    return new Plan.Clients(
        List.of(new TopicPlan(topic(), PARTITIONS, false, true)),
        List.of(
            new ProducerPlan(0, topic(), 0.5, 0, OptionalLong.empty()),
            new ProducerPlan(1, topic(), 0.5, 0.5, OptionalLong.empty())),
        List.of(
            new ConsumerPlan(0, 0, topic(), first),
            new ConsumerPlan(1, 0, topic(), first),
            new ConsumerPlan(2, 1, topic(), second)),
        Map.of(first, new GroupPlan(topic(), 2), second, new GroupPlan(topic(), 1)));
  }

  private Map<String, String> with(Map<String, String> config) {
    Map<String, String> all = new HashMap<>(config);
    all.put("bootstrap.servers", bootstrapServers);
    return all;
  }
}
