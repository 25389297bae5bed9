// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.plan.Plan.ConsumerPlan;
import io.tailrace.loadgen.plan.Plan.PayloadPlan;
import io.tailrace.loadgen.plan.Plan.PhasePlan;
import io.tailrace.loadgen.plan.Plan.ProducerPlan;
import io.tailrace.loadgen.plan.Plan.TopicPlan;
import io.tailrace.loadgen.workload.ClientConfigNames;
import io.tailrace.loadgen.workload.ClientConfigNames.Owner;
import io.tailrace.loadgen.workload.Driver;
import io.tailrace.loadgen.workload.EffectiveConfig;
import io.tailrace.loadgen.workload.Workload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Works out what one worker does. Equal input gives an equal plan, on every machine; plans of the
 * workers of one run together hold each producer and consumer once.
 */
public final class Planner {
  private final Workload workload;
  private final Driver driver;
  private final Assignment assignment;
  private final ClientConfigNames names;

  private Planner(
      Workload workload, Driver driver, Assignment assignment, ClientConfigNames names) {
    this.workload = workload;
    this.driver = driver;
    this.assignment = assignment;
    this.names = names;
  }

  /** The plan of one worker. */
  public static Plan plan(
      Workload workload, Driver driver, Assignment assignment, ClientConfigNames names) {
    return new Planner(workload, driver, assignment, names).plan();
  }

  private Plan plan() {
    long seed = assignment.seed().orElse(workload.seed());
    return new Plan(
        assignment.runId(),
        assignment.worker(),
        assignment.workers(),
        seed,
        workload.name(),
        driver.name(),
        topics(),
        driver.replicationFactor(),
        EffectiveConfig.of(driver, Owner.TOPIC, names),
        clientConfig(Owner.ADMIN),
        clientConfig(Owner.PRODUCER),
        clientConfig(Owner.CONSUMER),
        producers(),
        consumers(),
        payload(seed),
        phases(),
        workload.drainTimeout());
  }

  private List<TopicPlan> topics() {
    return IntStream.range(0, workload.topics())
        .mapToObj(topic -> new TopicPlan(topicName(topic), workload.partitionsPerTopic()))
        .toList();
  }

  private String topicName(int topic) {
    return "%s-%07d".formatted(assignment.runId(), topic);
  }

  private Map<String, String> clientConfig(Owner owner) {
    SortedMap<String, String> config = EffectiveConfig.of(driver, owner, names);
    assignment
        .bootstrapServers()
        .ifPresent(servers -> config.put(Driver.BOOTSTRAP_SERVERS, servers));
    return Collections.unmodifiableSortedMap(config);
  }

  /**
   * Producers of one topic have neighbouring numbers, so dealing them spreads every topic over the
   * workers.
   */
  private List<ProducerPlan> producers() {
    int count = workload.topics() * workload.producersPerTopic();
    return dealt(count)
        .mapToObj(
            producer ->
                new ProducerPlan(
                    producer,
                    topicName(producer / workload.producersPerTopic()),
                    1.0 / count,
                    (double) producer / count))
        .toList();
  }

  private List<ConsumerPlan> consumers() {
    List<ConsumerPlan> all = new ArrayList<>();
    for (int topic = 0; topic < workload.topics(); topic++) {
      for (int subscription = 0; subscription < workload.subscriptionsPerTopic(); subscription++) {
        String group = topicName(topic) + "-sub-" + subscription;
        for (int i = 0; i < workload.consumersPerSubscription(); i++) {
          all.add(new ConsumerPlan(all.size(), subscription, topicName(topic), group));
        }
      }
    }
    return dealt(all.size()).mapToObj(all::get).toList();
  }

  /** The numbers below {@code count} that fall to this worker. */
  private IntStream dealt(int count) {
    return IntStream.range(0, count).filter(i -> i % assignment.workers() == assignment.worker());
  }

  private PayloadPlan payload(long seed) {
    byte[] template =
        workload
            .payload()
            .map(Workload.PayloadFile::content)
            .orElseGet(() -> GeneratedPayload.of(seed, workload.messageSize()));
    return new PayloadPlan(workload.messageSize(), template);
  }

  private List<PhasePlan> phases() {
    return Stream.of(
            new PhasePlan("warmup", workload.warmup(), workload.producerRate()),
            new PhasePlan("measure", workload.test(), workload.producerRate()))
        .filter(phase -> !phase.duration().isZero())
        .toList();
  }
}
