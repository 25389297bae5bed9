// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
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

  /** The log start offset of every partition, by topic. */
  public Optional<Map<String, long[]>> starts() {
    return ask(OffsetSpec.earliest());
  }

  /** The offset after the last message of every partition, by topic. */
  public Optional<Map<String, long[]>> ends() {
    return ask(OffsetSpec.latest());
  }

  private Optional<Map<String, long[]>> ask(OffsetSpec spec) {
    Map<TopicPartition, OffsetSpec> asked = new HashMap<>();
    topics.forEach(
        (topic, partitions) -> {
          for (int partition = 0; partition < partitions; partition++) {
            asked.put(new TopicPartition(topic, partition), spec);
          }
        });
    ListOffsetsOptions options = new ListOffsetsOptions().timeoutMs((int) REQUEST.toMillis());
    return TopicAdmin.ask(client.listOffsets(asked, options).all(), REQUEST)
        .map(found -> byTopic(topics, found, ListOffsetsResultInfo::offset));
  }

  /** An offset per partition of each topic, 0 where none was found. */
  static <V> Map<String, long[]> byTopic(
      Map<String, Integer> topics, Map<TopicPartition, V> found, Function<V, Long> offset) {
    Map<String, long[]> offsets = new HashMap<>();
    topics.forEach((topic, partitions) -> offsets.put(topic, new long[partitions]));
    found.forEach(
        (partition, value) -> {
          long[] ofTopic = offsets.get(partition.topic());
          if (ofTopic != null && value != null && partition.partition() < ofTopic.length) {
            ofTopic[partition.partition()] = offset.apply(value);
          }
        });
    return offsets;
  }
}
