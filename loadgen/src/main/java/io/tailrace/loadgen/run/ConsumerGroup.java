// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.ConsumerWorker;
import io.tailrace.loadgen.kafka.ProducerWorker;
import io.tailrace.loadgen.kafka.ReceivedCounts;
import io.tailrace.loadgen.plan.Plan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** One group's consumers of this worker, and the producers of the topic that they read. */
final class ConsumerGroup {
  /** A program that copies may copy a send that failed after all those acknowledged. */
  private static final Duration COPY_SETTLED = Duration.ofSeconds(5);

  private final String id;
  private final String topic;
  private final int partitions;
  private final boolean share;
  private final boolean existing;
  private final Optional<String> copyOf;
  private final Interval still = new Interval();
  private final List<ConsumerWorker> consumers = new ArrayList<>();
  private List<ProducerWorker> producers = List.of();
  private long lastReceived = -1;

  ConsumerGroup(String id, Plan.TopicPlan topic, int partitions, boolean share) {
    this.id = id;
    this.topic = topic.name();
    this.partitions = partitions;
    this.share = share;
    this.existing = topic.existing();
    this.copyOf = topic.copyOf();
  }

  void add(ConsumerWorker consumer) {
    consumers.add(consumer);
  }

  void readsFrom(List<ProducerWorker> all) {
    String written = copyOf.orElse(topic);
    producers = all.stream().filter(producer -> producer.topic().equals(written)).toList();
  }

  String id() {
    return id;
  }

  String topic() {
    return topic;
  }

  int partitions() {
    return partitions;
  }

  boolean share() {
    return share;
  }

  /** Whether its topic may hold messages from before the run. */
  boolean existing() {
    return existing;
  }

  boolean written() {
    return !producers.isEmpty();
  }

  /** Whether its consumers wait until the load begins: this worker only reads its topic. */
  boolean held() {
    return existing && !written();
  }

  List<ConsumerWorker> consumers() {
    return consumers;
  }

  /**
   * Whether every partition has a consumer and every consumer that can have a partition has one.
   * Without the second half, a group whose first member is alone for a moment would look ready and
   * rebalance right after. A share group reports no assignment; the probe shows that it is ready.
   */
  boolean ready() {
    if (share()) {
      return true;
    }
    BitSet assigned = new BitSet(partitions);
    int working = 0;
    for (ConsumerWorker consumer : consumers) {
      Set<Integer> ready = consumer.readyPartitions();
      ready.forEach(assigned::set);
      working += ready.isEmpty() ? 0 : 1;
    }
    return assigned.cardinality() == partitions
        && working == Math.min(partitions, consumers.size());
  }

  /**
   * Messages acknowledged in the topic that the group is to receive. It may receive those in doubt.
   */
  long acked() {
    return producers.stream()
        .mapToLong(
            producer ->
                producer.acked().count() - producer.aborted().count() - producer.inDoubt().count())
        .sum();
  }

  private ReceivedCounts received() {
    return ReceivedCounts.sum(consumers.stream().map(ConsumerWorker::received).toList());
  }

  long backlog() {
    if (existing && !share() && copyOf.isEmpty()) {
      long missing = 0;
      for (int partition = 0; partition < partitions; partition++) {
        missing += Math.max(0, ackedUpTo(partition) - receivedUpTo(partition));
      }
      return missing + open();
    }
    // The received count first: otherwise messages acknowledged in between make it negative.
    ReceivedCounts received = received();
    long first = received.messages().count() - received.redelivered().count();
    return Math.max(0, acked() - first);
  }

  boolean drained() {
    if (share()) {
      // The redelivered first: otherwise a release in between looks as if it had come again.
      long redelivered = received().redelivered().count();
      long released = consumers.stream().mapToLong(ConsumerWorker::released).sum();
      return backlog() == 0 && released <= redelivered;
    }
    if (copyOf.isPresent()) {
      return backlog() == 0 && settled();
    }
    for (int partition = 0; partition < partitions; partition++) {
      if (receivedUpTo(partition) < ackedUpTo(partition)) {
        return false;
      }
    }
    return open() == 0;
  }

  /** Whether it has received nothing for a while. */
  private boolean settled() {
    long now = received().messages().count();
    if (now != lastReceived) {
      lastReceived = now;
      still.restart();
    }
    return still.elapsed(COPY_SETTLED);
  }

  /**
   * Whether this worker's consumers have read their partitions up to some offsets. Consumers of a
   * share group have no partitions; they must have received as many messages as lie between starts
   * and ends.
   */
  boolean readUpTo(long[] starts, long[] ends) {
    if (share()) {
      ReceivedCounts received = received();
      long first = received.messages().count() - received.redelivered().count();
      return first >= Arrays.stream(ends).sum() - Arrays.stream(starts).sum();
    }
    return consumers.stream()
        .allMatch(
            consumer ->
                consumer.open() == 0
                    && consumer.readyPartitions().stream()
                        .allMatch(partition -> consumer.position(partition) >= ends[partition]));
  }

  /**
   * Offset after the highest one that this worker's producers had acknowledged; 0 for none. The
   * offsets of a copy are its own.
   */
  long ackedUpTo(int partition) {
    if (copyOf.isPresent()) {
      return 0;
    }
    return producers.stream()
        .mapToLong(producer -> producer.ackedOffsets().next(partition))
        .max()
        .orElse(0);
  }

  /** Offset up to which this worker's consumers have read. */
  long receivedUpTo(int partition) {
    return consumers.stream().mapToLong(consumer -> consumer.position(partition)).max().orElse(0);
  }

  long open() {
    return consumers.stream().mapToLong(ConsumerWorker::open).sum();
  }
}
