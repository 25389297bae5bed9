// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.plan.Plan;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;

/** Reads offsets of the run's logs again, without a group. For one thread. */
public final class LogReader implements AutoCloseable {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration REQUEST = Duration.ofSeconds(5);
  // Longer than a change of a partition's leader.
  private static final long STALLED_NANOS = 15_000_000_000L;
  // A group's settings; without a group the client refuses some of them.
  private static final Set<String> OF_GROUPS =
      Set.of(
          ConsumerConfig.GROUP_ID_CONFIG,
          ConsumerConfig.GROUP_PROTOCOL_CONFIG,
          ConsumerConfig.GROUP_REMOTE_ASSIGNOR_CONFIG,
          ConsumerConfig.PARTITION_ASSIGNMENT_STRATEGY_CONFIG);

  private final int run;
  private final BooleanSupplier stop;
  private final KafkaConsumer<ByteBuffer, ByteBuffer> client;

  /**
   * A consumer with the plan's configuration, so that it reads what the groups may read.
   *
   * @param stop whether to read no more
   */
  public LogReader(Plan plan, BooleanSupplier stop) {
    this.run = PayloadHeader.runOf(plan.runId());
    this.stop = stop;
    Map<String, Object> config = new HashMap<>(plan.config().consumer());
    OF_GROUPS.forEach(config::remove);
    config.put(ConsumerConfig.CLIENT_ID_CONFIG, plan.runId() + "-reread");
    config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
    if (plan.behaviour().transactions().isPresent()) {
      config.putIfAbsent(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    }
    try {
      client =
          new KafkaConsumer<>(config, new ByteBufferDeserializer(), new ByteBufferDeserializer());
    } catch (KafkaException e) {
      throw ClientErrors.refused("consumerConfig", e);
    }
  }

  /**
   * Reads some consecutive offsets of a partition.
   *
   * @param found takes each range once all of it has been read
   * @return the offset up to which it got: the end, or less when it was stopped or the brokers sent
   *     nothing for some time
   */
  public long read(String topic, int partition, long first, long end, Consumer<LogRange> found) {
    TopicPartition place = new TopicPartition(topic, partition);
    client.assign(List.of(place));
    client.seek(place, first);
    LogRange range = new LogRange(run, topic, partition, first, end);
    long next = first;
    long lastNanoTime = System.nanoTime();
    while (next < end && System.nanoTime() - lastNanoTime < STALLED_NANOS && !stop.getAsBoolean()) {
      for (ConsumerRecord<ByteBuffer, ByteBuffer> record : poll(place).records(place)) {
        if (record.offset() < end) {
          range = range.upTo(record.offset(), found);
          range.take(record);
        }
      }
      long position = Math.min(end, client.position(place, REQUEST));
      if (position > next) {
        next = position;
        lastNanoTime = System.nanoTime();
        range = range.upTo(next, found);
      }
    }
    return next;
  }

  private ConsumerRecords<ByteBuffer, ByteBuffer> poll(TopicPartition place) {
    try {
      return client.poll(POLL);
    } catch (OffsetOutOfRangeException e) {
      // The log begins later by now. What it began with is a gap of the range.
      long start = client.beginningOffsets(List.of(place), REQUEST).get(place);
      client.seek(place, Math.max(start, client.position(place, REQUEST)));
      return ConsumerRecords.empty();
    } catch (RetriableException e) {
      return ConsumerRecords.empty();
    }
  }

  @Override
  public void close() {
    client.close(CloseOptions.timeout(REQUEST));
  }
}
