// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.TopicPartition;

/**
 * Where the logs of the run's topics begin and end. Without an answer within some seconds the
 * result is empty, and the caller asks again.
 */
public final class LogOffsets {
  private static final Duration REQUEST = Duration.ofSeconds(5);

  private final Admin client;
  private final Map<String, Integer> topics;

  LogOffsets(Admin client, Map<String, Integer> topics) {
    this.client = client;
    this.topics = Map.copyOf(topics);
  }

  public Optional<Map<String, long[]>> starts() throws InterruptedException {
    return ask(OffsetSpec.earliest());
  }

  /** The offset after the last message of every partition, by topic. */
  public Optional<Map<String, long[]>> ends() throws InterruptedException {
    return ask(OffsetSpec.latest());
  }

  private Optional<Map<String, long[]>> ask(OffsetSpec spec) throws InterruptedException {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    Map<String, long[]> found = new HashMap<>();
    topics.forEach(
        (topic, partitions) -> {
          found.put(topic, new long[partitions]);
          for (int partition = 0; partition < partitions; partition++) {
            asked.put(new TopicPartition(topic, partition), spec);
          }
        });
    ListOffsetsOptions options = new ListOffsetsOptions().timeoutMs((int) REQUEST.toMillis());
    try {
      Map<TopicPartition, ListOffsetsResultInfo> answer =
          client.listOffsets(asked, options).all().get(REQUEST.toMillis(), TimeUnit.MILLISECONDS);
      answer.forEach((place, info) -> found.get(place.topic())[place.partition()] = info.offset());
      return Optional.of(found);
    } catch (ExecutionException | TimeoutException e) {
      return Optional.empty();
    }
  }
}
