// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.KafkaBroker;
import io.tailrace.loadgen.payload.PayloadHeader;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;

/** Reads what runs have left in topics, without any of the program's own consumers. */
final class TopicReader implements AutoCloseable {
  private final Admin admin;
  private final KafkaConsumer<ByteBuffer, ByteBuffer> consumer;

  TopicReader(KafkaBroker broker) {
    admin = broker.admin();
    consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", broker.bootstrapServers()),
            new ByteBufferDeserializer(),
            new ByteBufferDeserializer());
  }

  void create(String topic, int partitions) throws Exception {
    admin.createTopics(List.of(new NewTopic(topic, partitions, (short) 1))).all().get();
  }

  /**
   * A hash over keys, headers and payloads, in their order, by partition and producer; what the
   * header of a payload states of time is left out. The empty probe messages are left out too.
   */
  Map<String, String> hashes(String topic) throws Exception {
    int partitions =
        admin.describeTopics(List.of(topic)).allTopicNames().get().get(topic).partitions().size();
    List<TopicPartition> places =
        IntStream.range(0, partitions)
            .mapToObj(number -> new TopicPartition(topic, number))
            .toList();
    consumer.assign(places);
    consumer.seekToBeginning(places);
    Map<TopicPartition, Long> ends = consumer.endOffsets(places);
    Map<String, MessageDigest> digests = new TreeMap<>();
    while (!places.stream().allMatch(place -> consumer.position(place) >= ends.get(place))) {
      for (ConsumerRecord<ByteBuffer, ByteBuffer> record : consumer.poll(Duration.ofMillis(200))) {
        if (record.value().remaining() > PayloadHeader.BYTES) {
          add(digests, record);
        }
      }
    }
    Map<String, String> hashes = new TreeMap<>();
    digests.forEach(
        (place, digest) -> hashes.put(place, HexFormat.of().formatHex(digest.digest())));
    return hashes;
  }

  private static void add(
      Map<String, MessageDigest> digests, ConsumerRecord<ByteBuffer, ByteBuffer> record)
      throws Exception {
    String place = record.partition() + " from " + PayloadHeader.producer(record.value());
    MessageDigest digest = digests.get(place);
    if (digest == null) {
      digest = MessageDigest.getInstance("SHA-256");
      digests.put(place, digest);
    }
    if (record.key() != null) {
      digest.update(record.key().duplicate());
    }
    record.headers().forEach(header -> addHeader(digests.get(place), header.value()));
    ByteBuffer body = record.value().duplicate();
    body.position(body.position() + PayloadHeader.BYTES);
    digest.update(body);
  }

  private static void addHeader(MessageDigest digest, byte[] value) {
    digest.update(value);
  }

  @Override
  public void close() {
    consumer.close();
    admin.close();
  }
}
