// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.ClientConfig.Owner;
import io.tailrace.loadgen.workload.DriverConfig.Section;
import io.tailrace.loadgen.workload.Vary.DriverChanges;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/**
 * A valid driver file: OMB's for Kafka, or the forks' for Redpanda. The maps are sorted and cannot
 * be changed.
 *
 * @param replicationFactor replicas of every topic, 1 or more
 * @param producerConfig configuration of producers, over {@code commonConfig}
 * @param consumerConfig configuration of consumers, over {@code commonConfig}; may hold {@link
 *     #COMMIT_LINGER}
 * @param requestsPerTransaction messages in each transaction, as the Redpanda fork has it; empty
 *     for no transactions, unless the workload asks for them
 * @param notes what a reader of the file may not expect, a line each
 */
public record Driver(
    String name,
    short replicationFactor,
    Map<String, String> topicConfig,
    Map<String, String> commonConfig,
    Map<String, String> producerConfig,
    Map<String, String> consumerConfig,
    OptionalInt requestsPerTransaction,
    List<String> notes) {
  /** The Redpanda and Vanlightly forks' key for milliseconds between offset commits. */
  public static final String COMMIT_LINGER = "offsetCommitLingerMs";

  public static final String BOOTSTRAP_SERVERS = "bootstrap.servers";

  private static final Key<String> NAME =
      Key.below("name", Kind.TEXT).means("label in results; default: the file's name");
  static final Key<String> DRIVER_CLASS =
      Key.below(
              "driverClass",
              Kind.TEXT.withSchema(Key.json("type", "string", "pattern", DriverClass.PATTERN)))
          .means(
              "OMB's driver; all of these speak the Kafka protocol, the only one that Tailrace speaks");
  private static final Key<Integer> REPLICATION_FACTOR =
      Key.below("replicationFactor", Kind.count(1, Short.MAX_VALUE))
          .means("replicas of each topic")
          .asRequired();
  private static final Key<Boolean> RESET =
      Key.below("reset", Kind.FLAG)
          .means("has no effect: a run deletes its own topics and no other");
  private static final Key<Integer> REQUESTS_PER_TRANSACTION =
      Key.below("requestsPerTransaction", Kind.count(1, Short.MAX_VALUE))
          .means("redpanda: messages in each transaction, unless the workload has transactions");
  private static final Key<Boolean> SKIP_CREATE_TOPIC =
      Key.below("skipCreateTopic", Kind.FLAG)
          .means("false: a run creates its topics; those that exist are named in the workload");
  private static final Key<String> PRODUCER_TYPE = protocol("producerType");
  private static final Key<String> CONSUMER_TYPE = protocol("consumerType");
  private static final Key<YamlNode> PULSAR_CONFIG =
      Key.below("pulsarConfig", DriverConfig.UNREAD)
          .means("KoP: has no effect, no Pulsar client is used");

  static final List<Key<?>> KEYS =
      Key.all(
          List.of(
              NAME,
              DRIVER_CLASS,
              REPLICATION_FACTOR,
              RESET,
              REQUESTS_PER_TRANSACTION,
              SKIP_CREATE_TOPIC,
              PRODUCER_TYPE,
              CONSUMER_TYPE,
              PULSAR_CONFIG),
          Arrays.stream(Section.values()).<Key<?>>map(Section::key).toList());

  private static Key<String> protocol(String name) {
    return Key.below(name, Kind.choice(Map.of("kafka", "kafka")))
        .means("KoP: kafka; a client of Pulsar's own protocol is not one of ours");
  }

  public Driver {
    topicConfig = sorted(topicConfig);
    commonConfig = sorted(commonConfig);
    producerConfig = sorted(producerConfig);
    consumerConfig = sorted(consumerConfig);
    notes = List.copyOf(notes);
  }

  private static Map<String, String> sorted(Map<String, String> config) {
    return Collections.unmodifiableMap(new TreeMap<>(config));
  }

  /**
   * Reads a driver file.
   *
   * @param bootstrapGiven whether the cluster's address comes from elsewhere, so that the file need
   *     not have it
   * @param problems takes every problem; when it got any, the driver returned must not be used
   * @return empty when the file could not be read as YAML
   */
  public static Optional<Driver> read(
      Path file,
      DriverChanges changes,
      boolean bootstrapGiven,
      ClientConfig.Names names,
      Problems problems) {
    return YamlNode.read(file, problems)
        .map(root -> changes.in(root, problems))
        .filter(root -> speaksKafka(file, root, problems))
        .map(
            root -> {
              Fields fields = new Fields(file.toString(), root, Key.names(KEYS), problems);
              DriverConfig written = new DriverConfig(file.toString(), names, problems);
              DriverConfig changed = new DriverConfig(changes.file(), names, problems);
              Reader reader = new Reader(fields, written, changed, changes);
              Driver driver = reader.driver(Workload.nameOf(file));
              reader.check(driver, bootstrapGiven, names);
              return driver;
            });
  }

  /** Other problems of another system's file are not worth reporting. */
  private static boolean speaksKafka(Path file, YamlNode.Mapping root, Problems problems) {
    List<YamlNode.Entry> named =
        root.entries().stream().filter(e -> e.key().equals(DRIVER_CLASS.name())).toList();
    if (named.isEmpty()
        || !(named.get(0).value() instanceof YamlNode.Text text)
        || DriverClass.speaksKafka(text.value())) {
      return true;
    }
    YamlNode.Mapping alone = new YamlNode.Mapping(root.line(), named);
    new Fields(file.toString(), alone, Key.names(KEYS), problems)
        .add(
            DRIVER_CLASS,
            text.value() + " is not a Kafka-protocol driver",
            "give a driver file of a broker that speaks Kafka's protocol");
    return false;
  }

  /** Reads one file: its own properties, and those that a campaign's point changes. */
  private record Reader(
      Fields fields, DriverConfig written, DriverConfig changed, DriverChanges changes) {

    private Driver driver(String defaultName) {
      List<String> notes = new ArrayList<>();
      Optional<String> driverClass = fields.read(DRIVER_CLASS);
      if (driverClass.filter(DriverClass.SWARM::equals).isPresent()) {
        notes.add("driverClass: swarm is taken as the plain driver; times travel in every payload");
      }
      if (fields.read(RESET).orElse(false)) {
        notes.add("reset: nothing to delete: a run creates its topics and deletes them");
      }
      if (fields.read(SKIP_CREATE_TOPIC).orElse(false)) {
        String remedy =
            "remove it; name the topics in the workload: topics: [{name, existing: true}]";
        fields.add(SKIP_CREATE_TOPIC, "a run creates its topics", remedy);
      }
      boolean kop = driverClass.filter(DriverClass.KOP::equals).isPresent();
      fields.read(PRODUCER_TYPE);
      fields.read(CONSUMER_TYPE);
      if (fields.read(PULSAR_CONFIG).isPresent()) {
        notes.add("pulsarConfig has no effect: all clients speak Kafka's protocol");
      }
      Optional<Integer> requests = fields.read(REQUESTS_PER_TRANSACTION);
      if (driverClass.filter(DriverClass.TRANSACTIONS::equals).isPresent()
          && !fields.has(REQUESTS_PER_TRANSACTION)) {
        fields.add(REQUESTS_PER_TRANSACTION, "missing", "add requestsPerTransaction: N");
      }
      Map<Section, Map<String, String>> config = new EnumMap<>(Section.class);
      for (Section section : Section.values()) {
        config.put(section, config(section));
      }
      notes.addAll(written.notes());
      config.get(Section.COMMON).putAll(config.remove(Section.KOP));
      return new Driver(
          fields.read(NAME).orElse(defaultName),
          (kop ? fields.read(REPLICATION_FACTOR) : fields.required(REPLICATION_FACTOR))
              .orElse(1)
              .shortValue(),
          config.get(Section.TOPIC),
          config.get(Section.COMMON),
          config.get(Section.PRODUCER),
          config.get(Section.CONSUMER),
          requests.map(OptionalInt::of).orElse(OptionalInt.empty()),
          notes);
    }

    private Map<String, String> config(Section section) {
      Map<String, String> config = new TreeMap<>();
      fields
          .read(section.key())
          .map(text -> DriverConfig.parse(text.value(), text.firstContentLine()))
          .ifPresent(properties -> config.putAll(written.read(section, properties)));
      config.putAll(changed.read(section, changes.properties(section)));
      return config;
    }

    private void check(Driver driver, boolean bootstrapGiven, ClientConfig.Names names) {
      String servers = driver.commonConfig.getOrDefault(BOOTSTRAP_SERVERS, "");
      if (!bootstrapGiven && servers.isBlank() && !written.isBad(Section.COMMON)) {
        String remedy = "add bootstrap.servers=HOST:PORT, or give --bootstrap-servers HOST:PORT";
        fields.add(Section.COMMON.key(), "bootstrap.servers is missing", remedy);
      }
      if (driver.consumerConfig.containsKey(COMMIT_LINGER)
          && driver.consumerConfig.containsKey("auto.commit.interval.ms")) {
        String what = COMMIT_LINGER + " and auto.commit.interval.ms mean the same";
        fields.add(Section.CONSUMER.key(), what, "keep one of the two");
      }
      checkReplicas(driver, ClientConfig.of(driver, Owner.PRODUCER, names));
      // A conflict repeats what an invalid property of the section has reported already.
      for (Section section : List.of(Section.COMMON, Section.PRODUCER, Section.CONSUMER)) {
        if (!isBad(section) && !isBad(Section.COMMON)) {
          Owner owner = section.owners().get(0);
          names
              .conflict(owner, ClientConfig.of(driver, owner, names))
              .ifPresent(what -> fields.add(section.key(), what, "correct one of them"));
        }
      }
    }

    private boolean isBad(Section section) {
      return written.isBad(section) || changed.isBad(section);
    }

    /** With acks=all every send would fail. */
    private void checkReplicas(Driver driver, Map<String, String> producer) {
      String least = driver.topicConfig.getOrDefault("min.insync.replicas", "").strip();
      boolean all = List.of("all", "-1").contains(producer.getOrDefault("acks", "all").strip());
      if (all
          && !fields.isBad(REPLICATION_FACTOR)
          && least.matches("\\d{1,5}")
          && Integer.parseInt(least) > driver.replicationFactor) {
        String what = "min.insync.replicas=" + least + " is above replicationFactor, ";
        String remedy = "lower it, or raise replicationFactor";
        fields.add(Section.TOPIC.key(), what + driver.replicationFactor, remedy);
      }
    }
  }
}
