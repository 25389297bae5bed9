// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.ConsumerWorker;
import io.tailrace.loadgen.kafka.ProducerWorker;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;

/** The consumers of one group, beside the producers of the topic they read. */
final class ConsumerGroup {
  private final String id;
  private final String topic;
  private final int partitions;
  private final List<ConsumerWorker> consumers = new ArrayList<>();
  private List<ProducerWorker> producers = List.of();

  ConsumerGroup(String id, String topic, int partitions) {
    this.id = id;
    this.topic = topic;
    this.partitions = partitions;
  }

  void add(ConsumerWorker consumer) {
    consumers.add(consumer);
  }

  void readsFrom(List<ProducerWorker> all) {
    producers = all.stream().filter(producer -> producer.topic().equals(topic)).toList();
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

  /** Those of this worker. */
  List<ConsumerWorker> consumers() {
    return consumers;
  }

  /**
   * Whether every partition has a consumer and every consumer that can have a partition has one.
   * Without the second half, a group whose first member is alone for a moment would look ready and
   * rebalance right after.
   */
  boolean ready() {
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

  /** Messages acknowledged in the topic. */
  long acked() {
    return producers.stream().mapToLong(producer -> producer.acked().count()).sum();
  }

  /** Messages this group received. */
  long received() {
    return consumers.stream().mapToLong(consumer -> consumer.received().count()).sum();
  }

  /** Messages acknowledged and not yet received. */
  long backlog() {
    // Received first: read the other way round, messages acknowledged in between would make it
    // negative.
    long received = received();
    return Math.max(0, acked() - received);
  }

  /** Whether all that was acknowledged has been received. */
  boolean drained() {
    if (backlog() > 0) {
      return false;
    }
    for (int partition = 0; partition < partitions; partition++) {
      if (receivedUpTo(partition) < ackedUpTo(partition)) {
        return false;
      }
    }
    return true;
  }

  private long ackedUpTo(int partition) {
    return producers.stream()
        .mapToLong(producer -> producer.ackedMarks().next(partition))
        .max()
        .orElse(0);
  }

  /** Offset after the highest one that this worker's consumers received. */
  long receivedUpTo(int partition) {
    return consumers.stream()
        .mapToLong(consumer -> consumer.receivedMarks().next(partition))
        .max()
        .orElse(0);
  }
}
