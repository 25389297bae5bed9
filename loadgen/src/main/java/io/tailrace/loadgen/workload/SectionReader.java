// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** Reads the configuration texts of one driver file. */
final class SectionReader {
  /** Redpanda's own topic properties, which Kafka's library cannot know. */
  private static final String REDPANDA_TOPIC_PREFIX = "redpanda.";

  private final String file;
  private final ClientConfigNames names;
  private final Problems problems;
  private final Set<Section> bad = EnumSet.noneOf(Section.class);
  private final List<String> notes = new ArrayList<>();

  SectionReader(String file, ClientConfigNames names, Problems problems) {
    this.file = file;
    this.names = names;
    this.problems = problems;
  }

  /** Whether {@code section} got a problem. */
  boolean isBad(Section section) {
    return bad.contains(section);
  }

  /** What was read and is not obeyed, a line each. */
  List<String> notes() {
    return notes;
  }

  /** The properties of a section, problems added for those that will not do. */
  Map<String, String> read(Section section, List<PropertiesSection.Property> properties) {
    Map<String, String> config = new TreeMap<>();
    Map<String, Integer> lines = new HashMap<>();
    for (PropertiesSection.Property property : properties) {
      Integer first = lines.putIfAbsent(property.key(), property.line());
      if (property.malformed()) {
        add(section, property, "malformed \\u escape", "write a backslash as \\\\");
      } else if (first != null) {
        add(section, property, "given twice, first on line " + first, "keep one");
      } else if (SectionRules.overruled(property.key())) {
        notes.add(
            section.key() + "." + property.key() + " is not used: Tailrace sets it, as OMB does");
      } else {
        config.put(property.key(), property.value());
        check(section, property);
      }
    }
    return config;
  }

  private void check(Section section, PropertiesSection.Property property) {
    String name = property.key();
    Optional<SectionRules.Refusal> refusal = SectionRules.refusal(section, name);
    if (refusal.isPresent()) {
      add(section, property, refusal.get().what(), refusal.get().remedy());
    } else if (section == Section.CONSUMER && name.equals(Driver.COMMIT_LINGER)) {
      badValue(section, property, "auto.commit.interval.ms");
    } else if (name.equals(Driver.BOOTSTRAP_SERVERS)) {
      BootstrapServers.problem(property.value())
          .ifPresent(what -> add(section, property, what, "write HOST:PORT,HOST:PORT"));
    } else if (known(section).contains(name)) {
      badValue(section, property, name);
    } else if (section != Section.TOPIC || !name.startsWith(REDPANDA_TOPIC_PREFIX)) {
      String nearest = NearestName.of(name, known(section));
      add(section, property, "unknown to Kafka", "the nearest known name is " + nearest);
    }
  }

  private void badValue(Section section, PropertiesSection.Property property, String kafkaName) {
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

  private void add(
      Section section, PropertiesSection.Property property, String what, String remedy) {
    bad.add(section);
    String path = property.malformed() ? section.key() : section.key() + "." + property.key();
    problems.add(new Problem(file, property.line(), path, what, remedy));
  }
}
