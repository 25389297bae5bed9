// SPDX-License-Identifier: Apache-2.0
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.ListGroupsOptions;
import org.apache.kafka.clients.admin.MemberDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * What the fault lab does to a broker through Kafka's own protocol.
 *
 * <pre>
 * fill SERVERS TOPIC BYTES SEGMENT_BYTES   make a topic of one partition and write to it
 * retain SERVERS TOPIC BYTES               from now on, keep no more than that
 * join SERVERS RUN HOLD_MS AWAY_MS         join the run's consumer group and leave it, again and again, reading nothing
 * </pre>
 */
final class FaultClient {
  private static final int RECORD_BYTES = 1 << 16;
  private static volatile boolean stopping;

  public static void main(String[] args) throws Exception {
    Map<String, Object> servers = Map.of("bootstrap.servers", args[1]);
    switch (args[0]) {
      case "fill" -> fill(servers, args[2], Long.parseLong(args[3]), args[4]);
      case "retain" -> retain(servers, args[2], args[3]);
      case "join" -> join(servers, args[2], Long.parseLong(args[3]), Long.parseLong(args[4]));
      default -> throw new IllegalArgumentException("fill, retain or join, not " + args[0]);
    }
  }

  private static void fill(Map<String, Object> servers, String topic, long bytes, String segment)
      throws Exception {
    try (Admin admin = Admin.create(servers)) {
      NewTopic made = new NewTopic(topic, 1, (short) 1);
      made.configs(Map.of("segment.bytes", segment, "retention.bytes", "-1"));
      admin.createTopics(List.of(made)).all().get();
    }
    byte[] value = new byte[RECORD_BYTES];
    new Random(1).nextBytes(value);
    ByteArraySerializer raw = new ByteArraySerializer();
    try (KafkaProducer<byte[], byte[]> producer = new KafkaProducer<>(servers, raw, raw)) {
      for (long written = 0; written < bytes; written += RECORD_BYTES) {
        producer.send(new ProducerRecord<>(topic, value));
      }
    }
  }

  private static void retain(Map<String, Object> servers, String topic, String bytes)
      throws Exception {
    try (Admin admin = Admin.create(servers)) {
      ConfigResource resource = new ConfigResource(ConfigResource.Type.TOPIC, topic);
      AlterConfigOp change =
          new AlterConfigOp(new ConfigEntry("retention.bytes", bytes), AlterConfigOp.OpType.SET);
      admin.incrementalAlterConfigs(Map.of(resource, List.of(change))).all().get();
    }
  }

  private static void join(Map<String, Object> servers, String run, long holdMillis, long away)
      throws Exception {
    String group;
    List<String> topics;
    try (Admin admin = Admin.create(servers)) {
      group =
          admin.listGroups(ListGroupsOptions.forConsumerGroups()).all().get().stream()
              .map(listing -> listing.groupId())
              .filter(id -> id.contains(run))
              .findFirst()
              .orElseThrow(() -> new IllegalStateException("no consumer group of run " + run));
      topics = topics(admin, group);
    }
    leaveInOrder(Thread.currentThread());
    while (!stopping) {
      joinOnce(servers, group, topics, holdMillis);
      for (long slept = 0; slept < away && !stopping; slept += 50) {
        Thread.sleep(50);
      }
    }
  }

  /** A member that only vanished would keep its partitions until its session is over. */
  private static void leaveInOrder(Thread working) {
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  stopping = true;
                  try {
                    working.join(8_000);
                  } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                  }
                }));
  }

  private static List<String> topics(Admin admin, String group) throws Exception {
    List<String> topics = new ArrayList<>();
    for (MemberDescription member :
        admin.describeConsumerGroups(List.of(group)).all().get().get(group).members()) {
      for (TopicPartition partition : member.assignment().topicPartitions()) {
        topics.add(partition.topic());
      }
    }
    return topics.stream().distinct().toList();
  }

  private static void joinOnce(
      Map<String, Object> servers, String group, List<String> topics, long holdMillis) {
    Map<String, Object> config = new HashMap<>(servers);
    config.put("group.id", group);
    // Nothing may be committed by one who reads nothing.
    config.put("enable.auto.commit", false);
    // The shortest that a broker takes by default, should it be killed.
    config.put("session.timeout.ms", 6_000);
    ByteArrayDeserializer raw = new ByteArrayDeserializer();
    try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(config, raw, raw)) {
      Pausing listener = new Pausing(consumer);
      consumer.subscribe(topics, listener);
      while (!listener.joined && !stopping) {
        consumer.poll(Duration.ofMillis(50));
      }
      if (listener.joined) {
        System.out.println("joined " + group);
      }
      long until = System.nanoTime() + holdMillis * 1_000_000;
      while (System.nanoTime() < until && !stopping) {
        consumer.poll(Duration.ofMillis(50));
      }
    }
  }

  /** A member that has its partitions and reads none of them. */
  private static final class Pausing implements ConsumerRebalanceListener {
    private final KafkaConsumer<byte[], byte[]> consumer;
    private boolean joined;

    private Pausing(KafkaConsumer<byte[], byte[]> consumer) {
      this.consumer = consumer;
    }

    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      consumer.pause(partitions);
      joined = true;
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}
  }
}
