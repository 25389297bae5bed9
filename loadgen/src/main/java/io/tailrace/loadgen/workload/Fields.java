// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Problems.Problem;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/**
 * The keys and values of one mapping of a file. An invalid value is reported and read as empty, as
 * a missing one is, so that reading goes on to the next key. A reader may use any placeholder for
 * it: a file with a problem is never used.
 */
final class Fields {
  private final String file;
  private final String prefix;
  private final int firstLine;
  private final Problems problems;
  private final Map<String, YamlNode.Entry> entries = new LinkedHashMap<>();
  private final Set<String> bad = new HashSet<>();

  /** The keys at the top of {@code file}, of which {@code known} are known. */
  Fields(String file, YamlNode.Mapping root, Set<String> known, Problems problems) {
    this(file, "", root, known, problems);
  }

  private Fields(
      String file, String prefix, YamlNode.Mapping mapping, Set<String> known, Problems problems) {
    this.file = file;
    this.prefix = prefix;
    this.firstLine = mapping.line();
    this.problems = problems;
    for (YamlNode.Entry entry : mapping.entries()) {
      YamlNode.Entry first = entries.putIfAbsent(entry.key(), entry);
      if (first != null) {
        String what = "given twice, first on line " + first.line();
        problems.add(new Problem(file, entry.line(), prefix + entry.key(), what, "keep one"));
      } else if (!known.isEmpty() && !known.contains(entry.key())) {
        String nearest = Problems.nearest(entry.key(), known);
        add(entry.key(), "unknown key", "the nearest known key is " + nearest);
      }
    }
  }

  /** The value of {@code key}; empty when it is missing or invalid. */
  <T> Optional<T> read(Key<T> key) {
    return read(key, key.values());
  }

  /** The value of {@code key}, read as one of the kinds that the key takes. */
  <T> Optional<T> read(Key<?> key, Kind<T> as) {
    return value(key).flatMap(node -> as.read(this, key.name(), node));
  }

  /** The same; a missing key is a problem. */
  <T> Optional<T> required(Key<T> key) {
    return required(key, key.values());
  }

  /** The same, read as one of the kinds that the key takes. */
  <T> Optional<T> required(Key<?> key, Kind<T> as) {
    if (!has(key)) {
      add(key, "missing", "add " + key.name() + ": " + as.example());
    }
    return read(key, as);
  }

  OptionalLong optionalLong(Key<Long> key) {
    return read(key).map(OptionalLong::of).orElse(OptionalLong.empty());
  }

  OptionalDouble optionalDouble(Key<Double> key) {
    return read(key).map(OptionalDouble::of).orElse(OptionalDouble.empty());
  }

  /** Messages per second, for rates in bytes by the mean size of messages. */
  OptionalDouble messagesPerSecond(Key<Quantities.Rate> key, double meanBytes) {
    return messagesPerSecond(key, key.values(), meanBytes);
  }

  /** The same, read as one of the kinds that the key takes. */
  OptionalDouble messagesPerSecond(Key<?> key, Kind<Quantities.Rate> as, double meanBytes) {
    Optional<Double> rate = read(key, as).map(value -> value.messagesPerSecond(meanBytes));
    if (rate.isPresent() && rate.get() > Quantities.MOST_RATE) {
      YamlNode node = value(key).orElseThrow();
      String what = "must be at most 1000000000 messages per second, not " + node.describe();
      addAt(key.name(), node, what, "give a lower rate");
      return OptionalDouble.empty();
    }
    return rate.map(OptionalDouble::of).orElse(OptionalDouble.empty());
  }

  /** The mappings of the list under {@code key}; an item of another kind is a problem. */
  List<Fields> items(Key<?> key, Kind<List<YamlNode>> as, List<Key<?>> keys, String example) {
    List<Fields> mappings = new ArrayList<>();
    List<YamlNode> items = read(key, as).orElse(List.of());
    for (int i = 0; i < items.size(); i++) {
      if (items.get(i) instanceof YamlNode.Mapping mapping) {
        String path = prefix + key.name() + "[" + i + "].";
        mappings.add(new Fields(file, path, mapping, Key.names(keys), problems));
      } else {
        String what = "must be a mapping, not " + items.get(i).describe();
        addAt(key.name(), items.get(i), what, "write - " + example);
      }
    }
    return mappings;
  }

  /** The mapping {@code node}; {@code known} is empty where users choose the keys. */
  Optional<Fields> section(String key, YamlNode node, Set<String> known) {
    if (node instanceof YamlNode.Mapping mapping) {
      return Optional.of(new Fields(file, prefix + key + ".", mapping, known, problems));
    }
    String example = known.stream().sorted().findFirst().orElse("name");
    String what = "must be a mapping, not " + node.describe();
    add(key, what, "write indented lines under it, as " + example + ": …");
    return Optional.empty();
  }

  boolean has(Key<?> key) {
    return entries.containsKey(key.name());
  }

  /** Whether {@code key} is there with a value. */
  boolean hasValue(Key<?> key) {
    return value(key).filter(node -> !(node instanceof YamlNode.Nothing)).isPresent();
  }

  Optional<YamlNode> value(Key<?> key) {
    return Optional.ofNullable(entries.get(key.name())).map(YamlNode.Entry::value);
  }

  /** Whether {@code node} is the whole value of {@code key}, not an item of it. */
  boolean isValueOf(String key, YamlNode node) {
    return entries.containsKey(key) && entries.get(key).value() == node;
  }

  /** Its keys, in file order, unknown ones included. */
  Set<String> names() {
    return entries.keySet();
  }

  /** Whether {@code key} has a problem, so that conclusions from its value would be wrong. */
  boolean isBad(Key<?> key) {
    return bad.contains(key.name());
  }

  void add(Key<?> key, String what, String remedy) {
    add(key.name(), what, remedy);
  }

  /** Adds a problem with {@code key}, unless it has one. */
  void addUnlessBad(Key<?> key, String what, String remedy) {
    if (!isBad(key)) {
      add(key, what, remedy);
    }
  }

  /** Refuses {@code key} beside {@code other}, which has the same meaning. */
  void refuseBeside(Key<?> key, Key<?> other) {
    if (has(key) && has(other)) {
      add(key, "cannot be combined with " + other.name(), "keep one of the two");
    }
  }

  /** Adds a problem on the key's line, or on the mapping's first line when the key is missing. */
  void add(String key, String what, String remedy) {
    YamlNode.Entry entry = entries.get(key);
    addOn(entry == null ? firstLine : entry.line(), key, what, remedy);
  }

  /** Adds a problem with one value at or below {@code key}. */
  void addAt(String key, YamlNode where, String what, String remedy) {
    addOn(where.line(), key, what, remedy);
  }

  private void addOn(int line, String key, String what, String remedy) {
    bad.add(key);
    YamlNode.Entry entry = entries.get(key);
    String from = entry == null || entry.file() == null ? file : entry.file();
    problems.add(new Problem(from, line, prefix + key, what, remedy));
  }
}
