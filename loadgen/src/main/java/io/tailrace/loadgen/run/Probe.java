// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.ConsumerWorker;
import io.tailrace.loadgen.kafka.ProducerWorker;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * Probe messages: one through every partition and by every producer, repeated until every consumer
 * that can receive one has. Later messages then do not pay for opening connections.
 */
final class Probe {
  private static final Duration REPEAT_EVERY = Duration.ofMillis(500);

  private final Load load;
  private final boolean acknowledged;
  private final Interval interval = new Interval();

  Probe(Load load, boolean acknowledged) {
    this.load = load;
    this.acknowledged = acknowledged;
  }

  void start() {
    interval.restart();
    load.topics().forEach(this::send);
  }

  /**
   * Spreads a topic's partitions over its producers. A producer that gets none sends to a partition
   * of another one.
   */
  private void send(Load.Topic topic) {
    int count = topic.producers().size();
    for (int i = 0; i < count; i++) {
      int number = i;
      List<Integer> own =
          IntStream.range(0, topic.partitions()).filter(p -> p % count == number).boxed().toList();
      topic.producers().get(i).probe(own.isEmpty() ? List.of(number % topic.partitions()) : own);
    }
  }

  /**
   * Whether every path has carried a message. Sends again to share groups that wait for one, and to
   * all groups where the first message may have been lost.
   */
  boolean done() {
    Optional<String> missing = missing();
    if (missing.isPresent() && interval.elapsed(REPEAT_EVERY)) {
      load.groups().stream()
          .filter(group -> group.share() || !acknowledged)
          .filter(group -> group.written() && missing(group).isPresent())
          .map(ConsumerGroup::topic)
          .distinct()
          .forEach(name -> send(load.topic(name)));
    }
    return missing.isEmpty();
  }

  Optional<String> missing() {
    List<String> missing = new ArrayList<>();
    for (Load.Topic topic : load.topics()) {
      topic.producers().stream()
          .filter(producer -> producer.acked().count() == 0)
          .findFirst()
          .ifPresent(producer -> missing.add(path(topic) + ": a producer got no answer"));
      IntStream.range(0, topic.producers().isEmpty() ? 0 : topic.partitions())
          .filter(partition -> topic.producers().stream().noneMatch(p -> wrote(p, partition)))
          .findFirst()
          .ifPresent(partition -> missing.add(path(topic) + "/" + partition + ": no message"));
    }
    load.groups().stream()
        .filter(ConsumerGroup::written)
        .flatMap(group -> missing(group).stream())
        .forEach(missing::add);
    return missing.stream().findFirst();
  }

  private static String path(Load.Topic topic) {
    return "topic " + topic.name();
  }

  private static boolean wrote(ProducerWorker producer, int partition) {
    return producer.ackedOffsets().next(partition) > 0;
  }

  private static Optional<String> missing(ConsumerGroup group) {
    for (ConsumerWorker consumer : group.consumers()) {
      boolean waits = group.share() || !consumer.readyPartitions().isEmpty();
      if (waits && consumer.received().messages().count() == 0) {
        return Optional.of("group " + group.id() + ": " + consumer.clientId() + " got no message");
      }
      for (int partition : consumer.readyPartitions()) {
        if (consumer.position(partition) < group.ackedUpTo(partition)) {
          return Optional.of("group " + group.id() + ": nothing from partition " + partition);
        }
      }
    }
    return Optional.empty();
  }
}
