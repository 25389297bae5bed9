// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.contract.EventKinds;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/** The partitions assigned to one consumer; every change is an event of kind {@code rebalance}. */
final class PartitionAssignment implements ConsumerRebalanceListener {
  private static final Duration POSITION = Duration.ofMillis(100);

  private final KafkaConsumer<?, ?> client;
  private final int consumer;
  private final ClientContext context;
  private boolean unresolved;
  private boolean paused;
  private volatile Set<Integer> ready = Set.of();

  PartitionAssignment(KafkaConsumer<?, ?> client, int consumer, ClientContext context) {
    this.client = client;
    this.consumer = consumer;
    this.context = context;
  }

  Set<Integer> ready() {
    return ready;
  }

  /** Pauses or resumes partitions, those assigned later too. */
  void pause(boolean now) {
    paused = now;
    if (now) {
      client.pause(client.assignment());
    } else {
      client.resume(client.paused());
    }
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    changed("assigned", partitions);
    if (paused) {
      client.pause(partitions);
    }
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
    changed("revoked", partitions);
  }

  @Override
  public void onPartitionsLost(Collection<TopicPartition> partitions) {
    changed("lost", partitions);
  }

  /**
   * Fetches the position in every assigned partition. Otherwise a consumer that starts at the log's
   * end would look that end up after its first messages were written, and miss them.
   */
  void resolvePositions() {
    if (!unresolved) {
      return;
    }
    try {
      Set<TopicPartition> assigned = client.assignment();
      for (TopicPartition partition : assigned) {
        client.position(partition, POSITION);
      }
      ready =
          assigned.stream().map(TopicPartition::partition).collect(Collectors.toUnmodifiableSet());
      unresolved = false;
    } catch (TimeoutException e) {
      // The broker is slow or down; the next poll asks again.
    }
  }

  private void changed(String change, Collection<TopicPartition> partitions) {
    unresolved = true;
    ready = Set.of();
    Set<Integer> numbers = new TreeSet<>();
    partitions.forEach(partition -> numbers.add(partition.partition()));
    context.event(
        EventKinds.REBALANCE,
        change,
        String.format(
            "{\"consumer\":%d,\"partitions\":%s}", consumer, numbers.toString().replace(" ", "")));
  }
}
