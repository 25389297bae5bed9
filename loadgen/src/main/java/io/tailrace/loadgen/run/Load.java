// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.ConsumerFactory;
import io.tailrace.loadgen.kafka.ConsumerWorker;
import io.tailrace.loadgen.kafka.EventCount;
import io.tailrace.loadgen.kafka.EventCounter;
import io.tailrace.loadgen.kafka.FailureListener;
import io.tailrace.loadgen.kafka.ProducerFactory;
import io.tailrace.loadgen.kafka.ProducerWorker;
import io.tailrace.loadgen.kafka.ReceivedCounts;
import io.tailrace.loadgen.kafka.UnsentMessages;
import io.tailrace.loadgen.pace.Arrivals;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.pace.RateSchedule;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.ship.LiveCounters;
import io.tailrace.loadgen.workload.Consume.ConsumeSpec.Groups;
import io.tailrace.loadgen.workload.Produce.ArrivalSpec.Pattern;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;

/** All producers and consumers of one worker, and their counts. */
final class Load {
  record Topic(String name, int partitions, List<ProducerWorker> producers) {}

  private final Plan plan;
  private final NanoClock clock;
  private final List<ProducerWorker> producers = new ArrayList<>();
  private final List<ConsumerWorker> consumers = new ArrayList<>();
  private final Map<String, ConsumerGroup> groups = new LinkedHashMap<>();
  private final Map<String, Topic> topics = new LinkedHashMap<>();
  private SharedGroups shared;

  Load(
      Plan plan,
      Map<String, Integer> partitions,
      NanoClock clock,
      Recorders recorders,
      FailureListener deaths) {
    this.plan = plan;
    this.clock = clock;
    Map<String, Plan.TopicPlan> plans =
        plan.topics().stream().collect(Collectors.toMap(Plan.TopicPlan::name, topic -> topic));
    boolean share = plan.behaviour().consume().groups() == Groups.SHARE;
    try {
      ConsumerFactory consumerMaker = new ConsumerFactory(plan, clock, recorders, deaths);
      for (Plan.ConsumerPlan self : plan.consumers()) {
        int count = partitions.get(self.topic());
        Plan.TopicPlan topic = plans.get(self.topic());
        ConsumerWorker consumer = consumerMaker.make(self, count);
        consumers.add(consumer);
        groups
            .computeIfAbsent(self.groupId(), id -> new ConsumerGroup(id, topic, count, share))
            .add(consumer);
      }
      ProducerFactory producerMaker = new ProducerFactory(plan, clock, recorders, deaths);
      for (Plan.ProducerPlan self : plan.producers()) {
        producers.add(producerMaker.make(self, partitions.get(self.topic())));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    groups.values().forEach(group -> group.readsFrom(producers));
    Map<String, List<ProducerWorker>> writers =
        producers.stream().collect(Collectors.groupingBy(ProducerWorker::topic));
    partitions.forEach(
        (name, count) ->
            topics.put(name, new Topic(name, count, writers.getOrDefault(name, List.of()))));
  }

  /** Reads what the logs hold from the brokers: others write too, or nothing is acknowledged. */
  void share(SharedGroups groupsOfAll) {
    shared = groupsOfAll;
  }

  /** The groups of all workers; empty for a lone worker whose messages are acknowledged. */
  Optional<SharedGroups> shared() {
    return Optional.ofNullable(shared);
  }

  Plan plan() {
    return plan;
  }

  List<ProducerWorker> producers() {
    return producers;
  }

  List<ConsumerWorker> consumers() {
    return consumers;
  }

  List<ConsumerGroup> groups() {
    return List.copyOf(groups.values());
  }

  List<Topic> topics() {
    return List.copyOf(topics.values());
  }

  Map<String, Integer> partitions() {
    return topics.values().stream().collect(Collectors.toMap(Topic::name, Topic::partitions));
  }

  Topic topic(String name) {
    return topics.get(name);
  }

  /**
   * Starts consumers. Consumers of topics that are only read are held back until {@link #release}:
   * such topics hold messages already, which must be read when the load begins.
   */
  void startConsumers() {
    for (ConsumerGroup group : groups.values()) {
      boolean held = group.held();
      group.consumers().forEach(consumer -> consumer.pause(held));
      if (!held || !group.share()) {
        group.consumers().forEach(ConsumerWorker::start);
      }
    }
  }

  void release() {
    for (ConsumerGroup group : groups.values()) {
      if (group.held()) {
        group.consumers().forEach(consumer -> consumer.pause(false));
        if (group.share()) {
          group.consumers().forEach(ConsumerWorker::start);
        }
      }
    }
  }

  boolean consumersReady() {
    return shared == null
        ? groups.values().stream().allMatch(ConsumerGroup::ready)
        : shared.ready();
  }

  void connectProducers() {
    producers.forEach(ProducerWorker::start);
  }

  boolean producersConnected() {
    return producers.stream().allMatch(ProducerWorker::connected);
  }

  void begin(RateSchedule schedule) {
    boolean poisson = plan.behaviour().arrivals().pattern() == Pattern.POISSON;
    for (int i = 0; i < producers.size(); i++) {
      Plan.ProducerPlan self = plan.producers().get(i);
      producers
          .get(i)
          .begin(
              new Arrivals(
                  schedule,
                  self.share(),
                  self.offsetShare(),
                  self.messages().orElse(Long.MAX_VALUE),
                  poisson ? gaps(self.producer()) : null,
                  clock));
    }
  }

  /** Random numbers for the times between a producer's messages. */
  private SplittableRandom gaps(int producer) {
    // Neighbouring seeds of SplittableRandom are independent of each other, but not its first
    // numbers of seeds that differ by its own step; the products keep clear of that.
    return new SplittableRandom(plan.seed() * 31 + producer * 1_000_003L);
  }

  void wakeProducers() {
    producers.forEach(ProducerWorker::wake);
  }

  void giveUpAt(long nanoTime) {
    producers.forEach(producer -> producer.giveUpAt(nanoTime));
    wakeProducers();
  }

  boolean volumeSent() {
    return producers.stream().allMatch(ProducerWorker::volumeSent);
  }

  /** How far the slowest producer is behind its schedule, ns. */
  long behindNanos() {
    return producers.stream().mapToLong(ProducerWorker::behindNanos).max().orElse(0);
  }

  void pauseConsumers(boolean paused) {
    consumers.forEach(consumer -> consumer.pause(paused));
  }

  boolean pauseSettled() {
    return consumers.stream().allMatch(ConsumerWorker::pauseSettled);
  }

  void stopProducers() {
    producers.forEach(ProducerWorker::stop);
  }

  void abortProducers() {
    producers.stream().filter(producer -> !producer.ended()).forEach(ProducerWorker::abort);
  }

  /** Closes what is still open, without waiting for outcomes. */
  void close() {
    abortProducers();
    stopConsumers();
  }

  boolean producersEnded() {
    return producers.stream().allMatch(ProducerWorker::ended);
  }

  void stopConsumers() {
    consumers.forEach(ConsumerWorker::stop);
  }

  boolean consumersEnded() {
    return consumers.stream().allMatch(ConsumerWorker::ended);
  }

  /** Whether every group has received all that was acknowledged in its topic. */
  boolean drained() {
    return shared == null
        ? groups.values().stream().allMatch(ConsumerGroup::drained)
        : shared.drained();
  }

  /** Messages acknowledged and not yet received, over all groups and, where shared, workers. */
  long backlog() {
    return shared == null
        ? groups.values().stream().mapToLong(ConsumerGroup::backlog).sum()
        : shared.backlog();
  }

  /** Messages all groups together should receive. */
  long expectedReceived() {
    return groups.values().stream().mapToLong(ConsumerGroup::acked).sum();
  }

  LiveCounters counters() {
    return new LiveCounters(this::sent, this::acked, this::failed, this::received);
  }

  ReceivedCounts counted() {
    return ReceivedCounts.sum(consumers.stream().map(ConsumerWorker::received).toList());
  }

  /** Acknowledged messages in aborted transactions. */
  EventCount aborted() {
    return EventCount.sum(producers, ProducerWorker::aborted);
  }

  /** Acknowledged messages in transactions in doubt. */
  EventCount inDoubt() {
    return EventCount.sum(producers, ProducerWorker::inDoubt);
  }

  /** Messages that were overdue and never sent, by reason. */
  Map<String, EventCount> unsent() {
    return UnsentMessages.byReason(producers.stream().map(ProducerWorker::unsent));
  }

  long sent() {
    return total(ProducerWorker::sent);
  }

  long acked() {
    return total(ProducerWorker::acked);
  }

  long failed() {
    return total(ProducerWorker::failed);
  }

  long received() {
    return counted().messages().count();
  }

  private long total(Function<ProducerWorker, EventCounter> counter) {
    return producers.stream().mapToLong(producer -> counter.apply(producer).count()).sum();
  }
}
