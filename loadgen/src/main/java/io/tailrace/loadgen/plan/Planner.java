// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.plan.Plan.ConsumerPlan;
import io.tailrace.loadgen.plan.Plan.GroupPlan;
import io.tailrace.loadgen.plan.Plan.ProducerPlan;
import io.tailrace.loadgen.plan.Plan.TopicPlan;
import io.tailrace.loadgen.workload.Behaviour;
import io.tailrace.loadgen.workload.ClientConfig;
import io.tailrace.loadgen.workload.ClientConfig.Owner;
import io.tailrace.loadgen.workload.Driver;
import io.tailrace.loadgen.workload.Phases.PhasesSpec;
import io.tailrace.loadgen.workload.Produce.TransactionSpec;
import io.tailrace.loadgen.workload.Topics.TopicSpec;
import io.tailrace.loadgen.workload.Workload;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.stream.IntStream;

/**
 * Computes the plan of one worker. Equal input gives an equal plan on every machine; together, the
 * plans of a run's workers contain each producer and consumer once.
 */
public final class Planner {
  private static final int DIGITS = 7;

  private final Workload workload;
  private final Driver driver;
  private final PlanParameters parameters;
  private final ClientConfig.Names names;
  private final List<String> topicNames;

  private Planner(
      Workload workload, Driver driver, PlanParameters parameters, ClientConfig.Names names) {
    this.workload = workload;
    this.driver = driver;
    this.parameters = parameters;
    this.names = names;
    this.topicNames =
        IntStream.range(0, workload.topics().size())
            .mapToObj(
                topic -> workload.topics().get(topic).name().orElseGet(() -> generatedName(topic)))
            .toList();
  }

  private String generatedName(int topic) {
    String number = Integer.toString(topic);
    return parameters.runId() + "-" + "0".repeat(DIGITS - number.length()) + number;
  }

  public static Plan plan(
      Workload workload, Driver driver, PlanParameters parameters, ClientConfig.Names names) {
    return new Planner(workload, driver, parameters, names).plan();
  }

  private Plan plan() {
    long seed = parameters.seed().orElse(workload.seed());
    PhasesSpec phases = workload.phases();
    return new Plan(
        new Plan.Identity(
            parameters.runId(),
            parameters.worker(),
            parameters.workers(),
            seed,
            workload.name(),
            driver.name()),
        new Plan.Config(
            driver.replicationFactor(),
            ClientConfig.of(driver, Owner.TOPIC, names),
            clientConfig(Owner.ADMIN),
            clientConfig(Owner.PRODUCER),
            clientConfig(Owner.CONSUMER)),
        new Plan.Clients(topics(), producers(), consumers(), groups()),
        PayloadPlanner.of(workload.message(), seed),
        behaviour(),
        new Plan.Load(PhasePlanner.of(workload), phases.backlog(), phases.drainTimeout()));
  }

  private List<TopicPlan> topics() {
    return IntStream.range(0, workload.topics().size()).mapToObj(this::topic).toList();
  }

  private TopicPlan topic(int number) {
    TopicSpec spec = workload.topics().get(number);
    return new TopicPlan(
        topicName(number), spec.partitions(), spec.existing(), spec.producers() > 0, spec.copyOf());
  }

  private String topicName(int topic) {
    return topicNames.get(topic);
  }

  private Map<String, String> clientConfig(Owner owner) {
    SortedMap<String, String> config = ClientConfig.of(driver, owner, names);
    parameters
        .bootstrapServers()
        .ifPresent(servers -> config.put(Driver.BOOTSTRAP_SERVERS, servers));
    return Collections.unmodifiableSortedMap(config);
  }

  /**
   * Producers of one topic have consecutive numbers, so distributing them in turn spreads every
   * topic over the workers. Each topic gets a part of the rate by its weight, shared equally by its
   * producers.
   */
  private List<ProducerPlan> producers() {
    int count = workload.topics().stream().mapToInt(TopicSpec::producers).sum();
    double weights =
        workload.topics().stream()
            .filter(topic -> topic.producers() > 0)
            .mapToDouble(TopicSpec::weight)
            .sum();
    OptionalLong volume = workload.behaviour().messages();
    List<ProducerPlan> mine = new ArrayList<>();
    double before = 0;
    int producer = 0;
    for (int topic = 0; topic < workload.topics().size(); topic++) {
      TopicSpec spec = workload.topics().get(topic);
      for (int i = 0; i < spec.producers(); i++) {
        double share = spec.weight() / weights / spec.producers();
        if (isMine(producer)) {
          OptionalLong part =
              volume.isEmpty() ? volume : part(volume.getAsLong(), before, before + share);
          String name = topicName(topic);
          mine.add(new ProducerPlan(producer, name, share, (double) producer / count, part));
        }
        before = producer + 1 == count ? 1 : before + share;
        producer++;
      }
    }
    return mine;
  }

  /** The parts of adjacent ranges add up exactly, because each boundary is rounded once. */
  private static OptionalLong part(long volume, double from, double to) {
    double end = to > 1 - 1e-9 ? 1 : to;
    return OptionalLong.of(Math.round(volume * end) - Math.round(volume * from));
  }

  private List<ConsumerPlan> consumers() {
    List<ConsumerPlan> mine = new ArrayList<>();
    int consumer = 0;
    for (int topic = 0; topic < workload.topics().size(); topic++) {
      TopicSpec spec = workload.topics().get(topic);
      for (int subscription = 0; subscription < spec.subscriptions(); subscription++) {
        for (int i = 0; i < spec.consumersPerSubscription(); i++) {
          if (isMine(consumer)) {
            String name = topicName(topic);
            mine.add(new ConsumerPlan(consumer, subscription, name, group(topic, subscription)));
          }
          consumer++;
        }
      }
    }
    return mine;
  }

  private Map<String, GroupPlan> groups() {
    Map<String, GroupPlan> groups = new LinkedHashMap<>();
    for (int topic = 0; topic < workload.topics().size(); topic++) {
      TopicSpec spec = workload.topics().get(topic);
      for (int i = 0; i < spec.subscriptions(); i++) {
        int consumers = spec.consumersPerSubscription();
        groups.put(group(topic, i), new GroupPlan(topicName(topic), consumers));
      }
    }
    return groups;
  }

  /** Contains the run id even if the topic's name does not, so that no other run uses the group. */
  private String group(int topic, int subscription) {
    boolean named = workload.topics().get(topic).name().isPresent();
    String prefix = named ? parameters.runId() + "-" : "";
    return prefix + topicName(topic) + "-sub-" + subscription;
  }

  private boolean isMine(int client) {
    return client % parameters.workers() == parameters.worker();
  }

  /** Takes the driver's transactions, as the Redpanda fork does, if the workload has none. */
  private Behaviour behaviour() {
    Behaviour own = workload.behaviour();
    if (own.transactions().isPresent() || driver.requestsPerTransaction().isEmpty()) {
      return own;
    }
    int messages = driver.requestsPerTransaction().getAsInt();
    return own.withTransactions(new TransactionSpec(messages, 0));
  }
}
