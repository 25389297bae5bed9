// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/** Reads OMB's driver files for Kafka and the forks' for Redpanda. */
public final class DriverReader {
  static final String DRIVER_CLASS = "driverClass";
  private static final String KAFKA =
      "io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver";

  /** Where the benchmark classes of Redpanda's fork are. */
  static final String REDPANDA_PACKAGE = "io.openmessaging.benchmark.driver.redpanda.";

  private static final String REDPANDA = REDPANDA_PACKAGE + "RedpandaBenchmarkDriver";
  private static final String SWARM = REDPANDA_PACKAGE + "swarm.RedpandaBenchmarkDriver";
  private static final String TRANSACTIONS = REDPANDA_PACKAGE + "tx.RedpandaBenchmarkDriver";
  static final Set<String> KEYS =
      Set.of(
          "name",
          DRIVER_CLASS,
          "replicationFactor",
          "reset",
          "requestsPerTransaction",
          "topicConfig",
          "commonConfig",
          "producerConfig",
          "consumerConfig");

  private final Path file;
  private final Fields fields;
  private final SectionReader sections;
  private final DriverChanges changes;
  private final SectionReader changed;
  private final List<String> notes = new ArrayList<>();

  private DriverReader(
      Path file,
      Fields fields,
      SectionReader sections,
      DriverChanges changes,
      SectionReader changed) {
    this.changes = changes;
    this.changed = changed;
    this.file = file;
    this.fields = fields;
    this.sections = sections;
  }

  /**
   * Reads a driver file.
   *
   * @param bootstrapGiven whether the cluster's address comes from elsewhere, so that the file need
   *     not have it
   * @param changes what a campaign's point changes in it
   * @param problems takes every problem; when it got any, the driver returned is not to be used
   * @return empty when the file could not be read as YAML
   */
  public static Optional<Driver> read(
      Path file,
      DriverChanges changes,
      boolean bootstrapGiven,
      ClientConfigNames names,
      Problems problems) {
    return YamlFile.read(file, problems)
        .map(root -> changes.in(root, problems))
        .filter(root -> ofKafka(file, root, problems))
        .map(
            root -> {
              Fields fields = new Fields(file.toString(), root, KEYS, problems);
              SectionReader sections = new SectionReader(file.toString(), names, problems);
              SectionReader changed = new SectionReader(changes.file(), names, problems);
              return new DriverReader(file, fields, sections, changes, changed)
                  .driver(bootstrapGiven, names);
            });
  }

  private Driver driver(boolean bootstrapGiven, ClientConfigNames names) {
    checkDriverClass();
    checkReset();
    Driver driver =
        new Driver(
            fields.text("name").orElseGet(() -> FileStem.of(file)),
            (short) fields.required("replicationFactor", 1, Short.MAX_VALUE).orElse(1),
            section(Section.TOPIC),
            section(Section.COMMON),
            section(Section.PRODUCER),
            section(Section.CONSUMER),
            requestsPerTransaction(),
            allNotes());
    checkBootstrap(driver, bootstrapGiven);
    checkCommitLinger(driver);
    checkReplicas(driver, names);
    checkConflicts(driver, names);
    return driver;
  }

  /** Nothing else in another system's file is worth a word. */
  private static boolean ofKafka(Path file, YamlNode.Mapping root, Problems problems) {
    List<YamlNode.Entry> named =
        root.entries().stream().filter(e -> e.key().equals(DRIVER_CLASS)).toList();
    if (named.isEmpty()
        || !(named.get(0).value() instanceof YamlNode.Text text)
        || List.of(KAFKA, REDPANDA, SWARM, TRANSACTIONS).contains(text.value())) {
      return true;
    }
    YamlNode.Mapping alone = new YamlNode.Mapping(root.line(), named);
    new Fields(file.toString(), alone, KEYS, problems)
        .add(
            DRIVER_CLASS,
            text.value() + " is not a Kafka-protocol driver",
            "give a driver file of a broker that speaks Kafka's protocol");
    return false;
  }

  private void checkDriverClass() {
    if (fields.text(DRIVER_CLASS).filter(SWARM::equals).isPresent()) {
      notes.add("driverClass: swarm is taken as the plain driver; times travel in every payload");
    }
  }

  private void checkReset() {
    if (fields.flag("reset").orElse(false)) {
      notes.add("reset: nothing to delete: a run makes topics of its own and deletes them");
    }
  }

  private OptionalInt requestsPerTransaction() {
    OptionalLong requests = fields.whole("requestsPerTransaction", 1, Short.MAX_VALUE);
    boolean asked = fields.text(DRIVER_CLASS).filter(TRANSACTIONS::equals).isPresent();
    if (asked && !fields.has("requestsPerTransaction")) {
      fields.add("requestsPerTransaction", "missing", "add requestsPerTransaction: N");
    }
    return requests.isPresent()
        ? OptionalInt.of(Math.toIntExact(requests.getAsLong()))
        : OptionalInt.empty();
  }

  private List<String> allNotes() {
    notes.addAll(sections.notes());
    return notes;
  }

  private Map<String, String> section(Section section) {
    Map<String, String> config = new TreeMap<>(written(section));
    config.putAll(changed.read(section, changes.of(section)));
    return config;
  }

  private Map<String, String> written(Section section) {
    YamlNode node = fields.value(section.key()).orElse(null);
    if (node == null || node instanceof YamlNode.Nothing) {
      return Map.of();
    }
    if (node instanceof YamlNode.Text text) {
      return sections.read(section, PropertiesSection.parse(text.value(), text.firstContentLine()));
    }
    String what = "must be a text of name=value lines, not " + node.kind();
    fields.add(section.key(), what, "write " + section.key() + ": | and indented lines under it");
    return Map.of();
  }

  private void checkBootstrap(Driver driver, boolean bootstrapGiven) {
    String servers = driver.commonConfig().getOrDefault(Driver.BOOTSTRAP_SERVERS, "");
    if (!bootstrapGiven && servers.isBlank() && !sections.isBad(Section.COMMON)) {
      String remedy = "add bootstrap.servers=HOST:PORT, or give --bootstrap-servers HOST:PORT";
      fields.add(Section.COMMON.key(), "bootstrap.servers is missing", remedy);
    }
  }

  private boolean bad(Section section) {
    return sections.isBad(section) || changed.isBad(section);
  }

  /** With acks=all every send would fail. */
  private void checkReplicas(Driver driver, ClientConfigNames names) {
    String least = driver.topicConfig().getOrDefault("min.insync.replicas", "").strip();
    String acks =
        EffectiveConfig.of(driver, ClientConfigNames.Owner.PRODUCER, names)
            .getOrDefault("acks", "all");
    boolean all = acks.strip().equals("all") || acks.strip().equals("-1");
    boolean known = !fields.isBad("replicationFactor");
    if (all
        && known
        && least.matches("\\d{1,5}")
        && Integer.parseInt(least) > driver.replicationFactor()) {
      String what = "min.insync.replicas=" + least + " is above replicationFactor, ";
      String remedy = "lower it, or raise replicationFactor";
      fields.add(Section.TOPIC.key(), what + driver.replicationFactor(), remedy);
    }
  }

  private void checkCommitLinger(Driver driver) {
    if (driver.consumerConfig().containsKey(Driver.COMMIT_LINGER)
        && driver.consumerConfig().containsKey("auto.commit.interval.ms")) {
      String what = Driver.COMMIT_LINGER + " and auto.commit.interval.ms mean the same";
      fields.add(Section.CONSUMER.key(), what, "keep one of the two");
    }
  }

  /**
   * Only for sections whose every property is fine: a conflict would else repeat what is said
   * already.
   */
  private void checkConflicts(Driver driver, ClientConfigNames names) {
    for (Section section : List.of(Section.COMMON, Section.PRODUCER, Section.CONSUMER)) {
      if (!bad(section) && !bad(Section.COMMON)) {
        ClientConfigNames.Owner owner = section.owners().get(0);
        names
            .conflict(owner, EffectiveConfig.of(driver, owner, names))
            .ifPresent(what -> fields.add(section.key(), what, "correct one of them"));
      }
    }
  }
}
