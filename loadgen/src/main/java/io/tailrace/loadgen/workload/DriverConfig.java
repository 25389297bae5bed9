// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.ClientConfig.Owner;
import io.tailrace.loadgen.workload.Problems.Problem;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads and checks the properties in the four configuration texts of one driver file. */
final class DriverConfig {
  /** The texts of a driver file that hold configuration. */
  enum Section {
    TOPIC("topicConfig", "configuration of each topic", Owner.TOPIC),
    COMMON(
        "commonConfig",
        "configuration of all clients; each client gets the names it knows",
        Owner.ADMIN,
        Owner.PRODUCER,
        Owner.CONSUMER),
    PRODUCER("producerConfig", "configuration of producers, over commonConfig", Owner.PRODUCER),
    CONSUMER("consumerConfig", "configuration of consumers, over commonConfig", Owner.CONSUMER),
    KOP(
        "kafkaConfig",
        "KoP's form of commonConfig, over it",
        Owner.ADMIN,
        Owner.PRODUCER,
        Owner.CONSUMER);

    private final Key<YamlNode.Text> key;
    private final List<Owner> owners;

    Section(String name, String meaning, Owner... owners) {
      this.key = Key.below(name, DriverConfig.properties()).means(meaning);
      this.owners = List.of(owners);
    }

    Key<YamlNode.Text> key() {
      return key;
    }

    /** The clients that its properties are for; a name that any of them knows is known. */
    List<Owner> owners() {
      return owners;
    }
  }

  /**
   * One property, or one piece of text that is not one.
   *
   * @param line line in the file, from 1
   * @param malformed whether the piece has a malformed escape; key and value are empty then
   */
  record Property(int line, String key, String value, boolean malformed) {}

  private record Refusal(String what, String remedy) {}

  private static final Map<String, Refusal> REFUSED =
      Map.of(
          "group.instance.id",
          new Refusal("all consumers would take one identity and fence each other", "remove it"),
          "transactional.id",
          new Refusal(
              "Tailrace names every producer's transactions",
              "remove it; add transactions: {messages: N} to the workload"));

  private static final Set<Section> SHARED = EnumSet.of(Section.COMMON, Section.KOP);

  /** OMB's own driver overwrites these, and its sample files set some of them. */
  private static final Set<String> UNUSED =
      Set.of(
          "group.id",
          "key.serializer",
          "value.serializer",
          "key.deserializer",
          "value.deserializer");

  /** What other brokers' own topic properties begin with: Kafka's library cannot know them. */
  private static final Set<String> OTHER_BROKERS =
      Set.of("redpanda", "diskless", "inkless", "automq", "confluent", "warpstream");

  /** A mapping that nothing is read from. */
  static final Kind<YamlNode> UNREAD =
      new Kind<>(
          (fields, key, node) -> Optional.of(node),
          Key.json("type", List.of("object", "null")),
          "mapping",
          "{}");

  private final String file;
  private final ClientConfig.Names names;
  private final Problems problems;
  private final Set<Section> bad = EnumSet.noneOf(Section.class);
  private final List<String> notes = new ArrayList<>();

  DriverConfig(String file, ClientConfig.Names names, Problems problems) {
    this.file = file;
    this.names = names;
    this.problems = problems;
  }

  boolean isBad(Section section) {
    return bad.contains(section);
  }

  /** The properties that were read and are not used, a line each. */
  List<String> notes() {
    return notes;
  }

  /** The properties of a section; adds a problem for each invalid one. */
  Map<String, String> read(Section section, List<Property> properties) {
    Map<String, String> config = new TreeMap<>();
    Map<String, Integer> lines = new HashMap<>();
    for (Property property : properties) {
      Integer first = lines.putIfAbsent(property.key(), property.line());
      if (property.malformed()) {
        add(section, property, "malformed \\u escape", "write a backslash as \\\\");
      } else if (first != null) {
        add(section, property, "given twice, first on line " + first, "keep one");
      } else if (UNUSED.contains(property.key())) {
        String path = section.key().name() + "." + property.key();
        notes.add(path + " is not used: Tailrace sets it, as OMB does");
      } else {
        config.put(property.key(), property.value());
        check(section, property);
      }
    }
    return config;
  }

  private void check(Section section, Property property) {
    String name = property.key();
    Optional<Refusal> refusal = refusal(section, name);
    if (refusal.isPresent()) {
      add(section, property, refusal.get().what(), refusal.get().remedy());
    } else if (section == Section.CONSUMER && name.equals(Driver.COMMIT_LINGER)) {
      checkValue(section, property, "auto.commit.interval.ms");
    } else if (name.equals(Driver.BOOTSTRAP_SERVERS)) {
      ClientConfig.badServers(property.value())
          .ifPresent(what -> add(section, property, what, "write HOST:PORT,HOST:PORT"));
    } else if (known(section).contains(name)) {
      checkValue(section, property, name);
    } else if (section == Section.TOPIC && OTHER_BROKERS.contains(name.split("\\.")[0])) {
      notes.add("topicConfig." + name + " is not one of Kafka's: passed on, the broker judges it");
    } else if (section == Section.PRODUCER && name.equals("client.rack")) {
      notes.add("producerConfig.client.rack has no effect: producers have no rack");
    } else {
      String nearest = Problems.nearest(name, known(section));
      add(section, property, "unknown to Kafka", "the nearest known name is " + nearest);
    }
  }

  /** Properties that Kafka knows, and that Tailrace sets itself or cannot honour. */
  private static Optional<Refusal> refusal(Section section, String name) {
    if (name.equals(Driver.BOOTSTRAP_SERVERS) && !SHARED.contains(section)) {
      String what = "all clients of a run must reach one cluster";
      return Optional.of(new Refusal(what, "move it to commonConfig"));
    }
    return Optional.ofNullable(REFUSED.get(name));
  }

  private void checkValue(Section section, Property property, String kafkaName) {
    section.owners().stream()
        .filter(owner -> names.names(owner).contains(kafkaName))
        .flatMap(owner -> names.badValue(owner, kafkaName, property.value()).stream())
        .findFirst()
        .ifPresent(what -> add(section, property, what, "correct the value"));
  }

  private Set<String> known(Section section) {
    Set<String> known = new TreeSet<>();
    section.owners().forEach(owner -> known.addAll(names.names(owner)));
    return known;
  }

  private void add(Section section, Property property, String what, String remedy) {
    bad.add(section);
    String name = section.key().name();
    String path = property.malformed() ? name : name + "." + property.key();
    problems.add(new Problem(file, property.line(), path, what, remedy));
  }

  private static Kind<YamlNode.Text> properties() {
    return new Kind<>(
        DriverConfig::text, Key.json("type", List.of("string", "null")), "properties", "|");
  }

  private static Optional<YamlNode.Text> text(Fields fields, String key, YamlNode node) {
    if (node instanceof YamlNode.Text text) {
      return Optional.of(text);
    }
    if (!(node instanceof YamlNode.Nothing)) {
      String what = "must be a text of name=value lines, not " + node.describe();
      fields.add(key, what, "write " + key + ": | and indented lines under it");
    }
    return Optional.empty();
  }

  /**
   * The properties of a text in the format of {@link Properties}, with their lines. {@link
   * Properties} reads one property at a time, because it neither reports lines nor goes on after a
   * malformed escape.
   *
   * @param firstLine line of the file that the text begins on
   */
  static List<Property> parse(String text, int firstLine) {
    List<Property> properties = new ArrayList<>();
    List<String> lines = text.lines().toList();
    int i = 0;
    while (i < lines.size()) {
      int start = i;
      StringBuilder piece = new StringBuilder(lines.get(i++));
      while (i < lines.size() && continues(lines.get(i - 1), start == i - 1)) {
        piece.append('\n').append(lines.get(i++));
      }
      parse(properties, firstLine + start, piece.toString());
    }
    return properties;
  }

  /** Whether a line ends in a backslash that is not itself escaped; a comment never continues. */
  private static boolean continues(String line, boolean firstOfPiece) {
    String stripped = line.stripLeading();
    if (firstOfPiece && (stripped.startsWith("#") || stripped.startsWith("!"))) {
      return false;
    }
    int backslashes = 0;
    while (backslashes < line.length() && line.charAt(line.length() - 1 - backslashes) == '\\') {
      backslashes++;
    }
    return backslashes % 2 == 1;
  }

  private static void parse(List<Property> properties, int line, String piece) {
    Properties one = new Properties();
    try {
      one.load(new StringReader(piece));
    } catch (IllegalArgumentException e) {
      properties.add(new Property(line, "", "", true));
    } catch (IOException e) {
      throw new IllegalStateException("reading from memory cannot fail", e);
    }
    one.stringPropertyNames()
        .forEach(key -> properties.add(new Property(line, key, one.getProperty(key), false)));
  }
}
