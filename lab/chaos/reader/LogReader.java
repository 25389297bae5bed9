// SPDX-License-Identifier: Apache-2.0
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The chaos test's independent consumer: no group, no part of the load generator.
 *
 * <pre>
 * read SERVERS RUN FILE   write every message in the run's topics to FILE, and print a line
 *                         "partition N from FIRST to END" for each partition, offsets
 * lie SERVERS RUN         append a copy of a message and two in the wrong order, and delete the
 *                         first of their partition
 * delete SERVERS RUN      delete the run's topics
 * </pre>
 *
 * <p>An entry of FILE has 32 bytes, little-endian: partition (4), producer (4, −1 without a payload
 * header), offset, intended send, sequence (8 each).
 */
final class LogReader {
  private static final int HEADER_BYTES = 28;
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  public static void main(String[] args) throws Exception {
    Map<String, Object> servers = Map.of("bootstrap.servers", args[1]);
    try (Admin admin = Admin.create(servers)) {
      List<String> topics =
          admin.listTopics().names().get().stream()
              .filter(name -> name.startsWith(args[2] + "-"))
              .sorted()
              .toList();
      switch (args[0]) {
        case "read" -> read(servers, one(topics, args[2]), Path.of(args[3]));
        case "lie" -> lie(servers, admin, one(topics, args[2]));
        case "delete" -> admin.deleteTopics(topics).all().get();
        default -> throw new IllegalArgumentException("read, lie or delete, not " + args[0]);
      }
    }
  }

  private static String one(List<String> topics, String run) {
    if (topics.size() != 1) {
      throw new IllegalStateException("run " + run + " has topics " + topics + ", expected one");
    }
    return topics.get(0);
  }

  private static void read(Map<String, Object> servers, String topic, Path file)
      throws IOException {
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(servers);
        OutputStream out = new BufferedOutputStream(Files.newOutputStream(file), 1 << 20)) {
      List<TopicPartition> partitions = partitions(consumer, topic);
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> first =
          new TreeMap<>(Comparator.comparingInt(TopicPartition::partition));
      first.putAll(consumer.beginningOffsets(partitions));
      Map<TopicPartition, Long> end = consumer.endOffsets(partitions);
      long progress = System.nanoTime();
      while (partitions.stream().anyMatch(p -> consumer.position(p) < end.get(p))) {
        var records = consumer.poll(Duration.ofSeconds(1));
        for (ConsumerRecord<byte[], byte[]> message : records) {
          out.write(entry(message));
        }
        if (!records.isEmpty()) {
          progress = System.nanoTime();
        } else if (System.nanoTime() - progress > PATIENCE_NANOS) {
          throw new IllegalStateException(topic + ": no message for a minute before the log's end");
        }
      }
      first.forEach(
          (p, from) ->
              System.out.printf("partition %d from %d to %d%n", p.partition(), from, end.get(p)));
    }
  }

  private static KafkaConsumer<byte[], byte[]> consumer(Map<String, Object> servers) {
    ByteArrayDeserializer raw = new ByteArrayDeserializer();
    Map<String, Object> settings = new HashMap<>(servers);
    settings.put("enable.auto.commit", false);
    settings.put("max.poll.records", 20_000);
    return new KafkaConsumer<>(settings, raw, raw);
  }

  private static List<TopicPartition> partitions(
      KafkaConsumer<byte[], byte[]> consumer, String topic) {
    return consumer.partitionsFor(topic).stream()
        .map(info -> new TopicPartition(topic, info.partition()))
        .toList();
  }

  /** Reads the producer and sequence as the load generator's PayloadHeader has them. */
  private static byte[] entry(ConsumerRecord<byte[], byte[]> message) {
    ByteBuffer out = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
    byte[] value = message.value();
    boolean header =
        value != null
            && value.length >= HEADER_BYTES
            && value[0] == 'T'
            && value[1] == 'R'
            && value[2] == 'C';
    ByteBuffer in = header ? ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN) : null;
    long identity = header ? in.getLong(8) : -1;
    out.putInt(message.partition()).putInt(header ? (int) (identity >>> 40) : -1);
    // The highest 12 bits separate messages of one microsecond.
    out.putLong(message.offset()).putLong(header ? in.getLong(16) & (1L << 52) - 1 : 0);
    out.putLong(header ? identity & (1L << 40) - 1 : -1);
    return out.array();
  }

  /** What the comparison must find: proves that it can. */
  private static void lie(Map<String, Object> servers, Admin admin, String topic) throws Exception {
    ByteArraySerializer raw = new ByteArraySerializer();
    try (KafkaConsumer<byte[], byte[]> consumer = consumer(servers);
        KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(servers, raw, raw)) {
      var ends = consumer.endOffsets(partitions(consumer, topic));
      var fullest = Collections.max(ends.entrySet(), Map.Entry.comparingByValue());
      TopicPartition partition = fullest.getKey();
      consumer.assign(List.of(partition));
      consumer.seek(partition, fullest.getValue() - 1);
      List<ConsumerRecord<byte[], byte[]>> last = List.of();
      while (last.isEmpty()) {
        last = consumer.poll(Duration.ofSeconds(1)).records(partition);
      }
      byte[] value = last.get(0).value();
      producer.send(new ProducerRecord<>(topic, partition.partition(), null, value)).get();
      for (long sequence : new long[] {1, 0}) {
        byte[] other = value.clone();
        ByteBuffer.wrap(other).order(ByteOrder.LITTLE_ENDIAN).putLong(8, 77L << 40 | sequence);
        producer.send(new ProducerRecord<>(topic, partition.partition(), null, other)).get();
      }
      admin.deleteRecords(Map.of(partition, RecordsToDelete.beforeOffset(5))).all().get();
    }
  }
}
