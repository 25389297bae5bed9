// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.plan.Plan;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The driver's settings of clients, with those that a {@link HopInstance} needs. */
record HopConfig(Plan plan, String source, int number) {
  // A broker that dies costs a commit this long, then the clients are made again.
  private static final String MAX_BLOCK_MILLIS = "10000";
  private static final String MESSAGES_OF_A_TRANSACTION = "2000";

  Map<String, Object> consumer() {
    Map<String, Object> config = new HashMap<>(plan.config().consumer());
    config.put(ConsumerConfig.GROUP_ID_CONFIG, plan.runId() + "-hop-" + source);
    config.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    config.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
    config.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
    config.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
    config.put(
        ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class.getName());
    config.putIfAbsent(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, MESSAGES_OF_A_TRANSACTION);
    config.remove(ConsumerConfig.GROUP_INSTANCE_ID_CONFIG); // two would fence each other
    ClientIdentity.set(config, plan.runId() + "-hop-consumer-" + number);
    return config;
  }

  Map<String, Object> producer() {
    Map<String, Object> config = new HashMap<>(plan.config().producer());
    config.put(
        ProducerConfig.TRANSACTIONAL_ID_CONFIG, plan.runId() + "-hop-" + source + "-" + number);
    config.put(ProducerConfig.ACKS_CONFIG, "all");
    config.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "true");
    config.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    config.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class.getName());
    config.putIfAbsent(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_BLOCK_MILLIS);
    ClientIdentity.set(config, plan.runId() + "-hop-producer-" + number);
    return config;
  }
}
