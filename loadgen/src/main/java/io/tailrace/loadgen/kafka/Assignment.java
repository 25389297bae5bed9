// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.EventRecorder;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/** What one consumer is assigned, with an event of kind {@code rebalance} for every change. */
final class Assignment implements ConsumerRebalanceListener {
  private static final Duration POSITION = Duration.ofMillis(100);

  private final KafkaConsumer<?, ?> client;
  private final int consumer;
  private final NanoClock clock;
  private final EventRecorder events;
  private boolean unresolved;
  private boolean paused;
  private volatile Set<Integer> ready = Set.of();

  Assignment(KafkaConsumer<?, ?> client, int consumer, NanoClock clock, EventRecorder events) {
    this.client = client;
    this.consumer = consumer;
    this.clock = clock;
    this.events = events;
  }

  Set<Integer> ready() {
    return ready;
  }

  /** Pauses what is assigned now and later, or resumes it. */
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
   * Asks for the position in every assigned partition. Without it a consumer that starts at the
   * log's end would resolve that end after its first messages were written, and miss them.
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
      // The broker is slow or away: asked again after the next poll.
    }
  }

  private void changed(String change, Collection<TopicPartition> partitions) {
    unresolved = true;
    ready = Set.of();
    Set<Integer> numbers = new TreeSet<>();
    partitions.forEach(partition -> numbers.add(partition.partition()));
    events.event(
        clock.epochMicros(),
        "rebalance",
        change,
        String.format(
            "{\"consumer\":%d,\"partitions\":%s}", consumer, numbers.toString().replace(" ", "")));
  }
}
