// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.ConsumerWorker;
import io.tailrace.loadgen.kafka.DeathListener;
import io.tailrace.loadgen.kafka.EventCounter;
import io.tailrace.loadgen.kafka.ProducerWorker;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.pace.Schedule;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.ship.LiveCounters;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** All producers and consumers of one worker, and what they have counted. */
final class Load implements LiveCounters {
  private final List<ProducerWorker> producers = new ArrayList<>();
  private final List<ConsumerWorker> consumers = new ArrayList<>();
  private final Map<String, ConsumerGroup> groups = new LinkedHashMap<>();

  /**
   * Makes every client; none is started.
   *
   * @throws io.tailrace.loadgen.kafka.UnusableClusterException when a client refuses its
   *     configuration
   */
  Load(Plan plan, NanoClock clock, Recorders recorders, DeathListener deaths) {
    Map<String, Integer> partitions =
        plan.topics().stream()
            .collect(Collectors.toMap(Plan.TopicPlan::name, Plan.TopicPlan::partitions));
    try {
      for (Plan.ConsumerPlan self : plan.consumers()) {
        int count = partitions.get(self.topic());
        ConsumerWorker consumer = new ConsumerWorker(plan, self, count, clock, recorders, deaths);
        consumers.add(consumer);
        groups
            .computeIfAbsent(self.groupId(), id -> new ConsumerGroup(id, self.topic(), count))
            .add(consumer);
      }
      for (Plan.ProducerPlan self : plan.producers()) {
        producers.add(
            new ProducerWorker(
                plan,
                self,
                partitions.get(self.topic()),
                schedule(plan, self),
                clock,
                recorders,
                deaths));
      }
    } catch (RuntimeException e) {
      close();
      throw e;
    }
    groups.values().forEach(group -> group.readsFrom(producers));
  }

  private static Schedule schedule(Plan plan, Plan.ProducerPlan self) {
    return new Schedule(
        self.offsetShare(),
        plan.phases().stream()
            .map(
                phase ->
                    new Schedule.Phase(
                        phase.duration(), phase.rate().get(0).messagesPerSecond() * self.share()))
            .toList());
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

  void startConsumers() {
    consumers.forEach(ConsumerWorker::start);
  }

  boolean consumersReady() {
    return groups.values().stream().allMatch(ConsumerGroup::ready);
  }

  void connectProducers() {
    producers.forEach(ProducerWorker::start);
  }

  boolean producersConnected() {
    return producers.stream().allMatch(ProducerWorker::connected);
  }

  void begin(long startNanoTime, long giveUpNanoTime) {
    producers.forEach(producer -> producer.begin(startNanoTime, giveUpNanoTime));
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
    return groups.values().stream().allMatch(ConsumerGroup::drained);
  }

  /** Messages acknowledged and not yet received, over all groups. */
  long backlog() {
    return groups.values().stream().mapToLong(ConsumerGroup::backlog).sum();
  }

  /** Messages all groups together should receive. */
  long expectedReceived() {
    return groups.values().stream().mapToLong(ConsumerGroup::acked).sum();
  }

  /** Messages of other programs. */
  long foreign() {
    return consumers.stream().mapToLong(consumer -> consumer.foreign().count()).sum();
  }

  /** Messages due that were never sent. */
  long unsent() {
    return producers.stream().mapToLong(ProducerWorker::unsent).sum();
  }

  @Override
  public long sent() {
    return total(producers, ProducerWorker::sent);
  }

  @Override
  public long acked() {
    return total(producers, ProducerWorker::acked);
  }

  @Override
  public long failed() {
    return total(producers, ProducerWorker::failed);
  }

  @Override
  public long received() {
    return total(consumers, ConsumerWorker::received);
  }

  private static <W> long total(List<W> workers, Function<W, EventCounter> counter) {
    return workers.stream().mapToLong(worker -> counter.apply(worker).count()).sum();
  }
}
