// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.workload.ClientConfig;
import io.tailrace.loadgen.workload.ClientConfig.Owner;
import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** What this version of the Kafka client library knows about configuration. Connects to nothing. */
public final class KafkaConfigNames implements ClientConfig.Names {
  private static final Map<Owner, ConfigDef> DEFINITIONS =
      Map.of(
          Owner.TOPIC, new ConfigDef(),
          Owner.ADMIN, AdminClientConfig.configDef(),
          Owner.PRODUCER, ProducerConfig.configDef(),
          Owner.CONSUMER, ConsumerConfig.configDef());
  private static final Set<String> TOPIC_NAMES = topicNames();

  @Override
  public Set<String> names(Owner owner) {
    return owner == Owner.TOPIC ? TOPIC_NAMES : DEFINITIONS.get(owner).names();
  }

  /** Topic values are the broker's to judge: the client library has their names only. */
  @Override
  public Optional<String> badValue(Owner owner, String name, String value) {
    ConfigDef.ConfigKey key = DEFINITIONS.get(owner).configKeys().get(name);
    if (key == null) {
      return Optional.empty();
    }
    try {
      Object parsed = ConfigDef.parseType(name, value, key.type);
      if (key.validator != null) {
        key.validator.ensureValid(name, parsed);
      }
      return Optional.empty();
    } catch (ConfigException e) {
      return Optional.of(oneLine(e));
    }
  }

  @Override
  public Optional<String> conflict(Owner owner, Map<String, String> config) {
    Map<String, Object> whole = new HashMap<>(config);
    whole.putIfAbsent("bootstrap.servers", "localhost:9092"); // the real one may come later
    try {
      switch (owner) {
        case TOPIC -> {}
        case ADMIN -> new AdminClientConfig(whole);
        case PRODUCER -> {
          whole.put(ProducerConfig.KEY_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
          whole.put(ProducerConfig.VALUE_SERIALIZER_CLASS_CONFIG, ByteArraySerializer.class);
          new ProducerConfig(whole);
        }
        case CONSUMER -> {
          whole.put(ConsumerConfig.GROUP_ID_CONFIG, "any");
          whole.put(ConsumerConfig.KEY_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
          whole.put(ConsumerConfig.VALUE_DESERIALIZER_CLASS_CONFIG, ByteArrayDeserializer.class);
          new ConsumerConfig(whole);
        }
      }
      return Optional.empty();
    } catch (ConfigException e) {
      return Optional.of(oneLine(e));
    }
  }

  private static String oneLine(ConfigException e) {
    return e.getMessage().lines().findFirst().orElse("not valid").strip().replaceAll("\\.$", "");
  }

  private static Set<String> topicNames() {
    Set<String> names = new TreeSet<>();
    for (Field field : TopicConfig.class.getFields()) {
      if (field.getName().endsWith("_CONFIG") && field.getType() == String.class) {
        try {
          names.add((String) field.get(null));
        } catch (IllegalAccessException e) {
          throw new IllegalStateException("a public constant cannot be inaccessible", e);
        }
      }
    }
    return Set.copyOf(names);
  }
}
