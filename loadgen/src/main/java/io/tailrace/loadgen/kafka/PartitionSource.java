// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;

/** Messages of the partitions that a consumer group assigns. */
final class PartitionSource implements MessageSource {
  private static final Duration CLOSE = Duration.ofSeconds(5);
  private static final long ASK_NANOS = 100_000_000L;

  private final String topic;
  private final KafkaConsumer<ByteBuffer, ByteBuffer> client;
  private final PartitionAssignment assignment;
  private final OffsetCommits commits;
  private final HighestOffsets positions;
  private final NanoClock clock;
  private long askedNanoTime;

  /** Makes the client from its whole configuration, without deserializers. */
  PartitionSource(
      Map<String, Object> config,
      int consumer,
      String topic,
      int partitions,
      ClientContext context) {
    this.topic = topic;
    this.positions = new HighestOffsets(partitions);
    this.clock = context.clock();
    this.askedNanoTime = clock.nanoTime();
    try {
      this.client =
          new KafkaConsumer<>(config, new ByteBufferDeserializer(), new ByteBufferDeserializer());
    } catch (KafkaException e) {
      throw ClientErrors.refused("consumerConfig", e);
    }
    this.assignment = new PartitionAssignment(client, consumer, context);
    this.commits = new OffsetCommits(client, config, consumer, context);
  }

  @Override
  public void open() {
    client.subscribe(List.of(topic), assignment);
  }

  @Override
  public ConsumerRecords<ByteBuffer, ByteBuffer> poll(Duration timeout) {
    return client.poll(timeout);
  }

  @Override
  public void taken(ConsumerRecords<ByteBuffer, ByteBuffer> records) {
    assignment.resolvePositions();
    records
        .nextOffsets()
        .forEach((partition, next) -> positions.reach(partition.partition(), next.offset()));
    long now = clock.nanoTime();
    if (records.isEmpty() || now - askedNanoTime > ASK_NANOS) {
      askedNanoTime = now;
      assignment.ready().forEach(this::askPosition);
    }
    commits.commitIfOld();
  }

  /** The client's position also passes what is never delivered, such as ends of transactions. */
  private void askPosition(int partition) {
    try {
      TopicPartition topicPartition = new TopicPartition(topic, partition);
      positions.reach(partition, client.position(topicPartition, Duration.ZERO));
    } catch (TimeoutException e) {
      // The client still looks it up; the next call asks again.
    }
  }

  @Override
  public boolean pollAcknowledges() {
    return false;
  }

  @Override
  public void pause(boolean paused) {
    assignment.pause(paused);
  }

  @Override
  public Set<Integer> ready() {
    return assignment.ready();
  }

  @Override
  public long position(int partition) {
    return positions.next(partition);
  }

  @Override
  public void commit() {
    commits.commitLast();
  }

  @Override
  public void close() {
    client.close(CloseOptions.timeout(CLOSE));
  }
}
