// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Typed reading of one mapping's keys. A value that will not do adds a problem and comes back
 * empty, as a missing one does, so that reading goes on to the next key; what is put in its place
 * nobody sees, because problems end the reading.
 */
final class Fields {
  private final String file;
  private final String prefix;
  private final int firstLine;
  private final Problems problems;
  private final Map<String, YamlNode.Entry> entries = new LinkedHashMap<>();
  private final Set<String> bad = new HashSet<>();

  /** The keys at the top of {@code file}; see {@link #section} for those below. */
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
        String nearest = NearestName.of(entry.key(), known);
        add(entry.key(), "unknown key", "the nearest known key is " + nearest);
      }
    }
  }

  /**
   * The mapping under {@code key}.
   *
   * @param known its keys; empty for any
   */
  Optional<Fields> section(String key, Set<String> known) {
    YamlNode node = value(key).orElse(null);
    if (node instanceof YamlNode.Mapping mapping) {
      return Optional.of(new Fields(file, prefix + key + ".", mapping, known, problems));
    }
    if (node != null) {
      String example = known.stream().sorted().findFirst().orElse("name");
      String what = "must be a mapping, not " + node.kind();
      add(key, what, "write indented lines under it, as " + example + ": …");
    }
    return Optional.empty();
  }

  /** The mapping that is item {@code index} of the list under {@code key}. */
  Fields item(String key, int index, YamlNode.Mapping item, Set<String> known) {
    return new Fields(file, prefix + key + "[" + index + "].", item, known, problems);
  }

  /**
   * Adds a problem with {@code key}, on its line, or on the mapping's first line when it is
   * missing.
   */
  void add(String key, String what, String remedy) {
    bad.add(key);
    problems.add(new Problem(fileOf(key), lineOf(key), prefix + key, what, remedy));
  }

  /** Adds a problem with one value below {@code key}. */
  void addAt(String key, YamlNode where, String what, String remedy) {
    bad.add(key);
    problems.add(new Problem(fileOf(key), where.line(), prefix + key, what, remedy));
  }

  /** Whether {@code key} got a problem, so that what follows from its value means nothing. */
  boolean isBad(String key) {
    return bad.contains(key);
  }

  boolean has(String key) {
    return entries.containsKey(key);
  }

  /** Its keys, in file order, unknown ones included. */
  Set<String> keys() {
    return entries.keySet();
  }

  private String fileOf(String key) {
    return has(key) && entries.get(key).file() != null ? entries.get(key).file() : file;
  }

  int lineOf(String key) {
    return has(key) ? entries.get(key).line() : firstLine;
  }

  Optional<YamlNode> value(String key) {
    return Optional.ofNullable(entries.get(key)).map(YamlNode.Entry::value);
  }

  /** A whole number that must be there. */
  OptionalLong required(String key, long least, long most) {
    if (!has(key)) {
      add(key, "missing", "add " + key + ": N, a whole number from " + least + " to " + most);
      return OptionalLong.empty();
    }
    return whole(key, least, most);
  }

  /** A whole number. */
  OptionalLong whole(String key, long least, long most) {
    return value(key).map(node -> whole(key, node, least, most)).orElse(OptionalLong.empty());
  }

  /** The whole number {@code node}, which stands at or below {@code key}. */
  OptionalLong whole(String key, YamlNode node, long least, long most) {
    if (!(node instanceof YamlNode.Number number && number.whole())) {
      String what = "must be a whole number, not " + node.kind();
      String example = Long.toString(Math.max(least, Math.min(most, 1)));
      boolean whole = value(key).filter(own -> own == node).isPresent();
      addAt(key, node, what, "write it bare, as " + (whole ? key + ": " + example : example));
    } else if (!within(number.value(), least, most)) {
      addAt(key, node, outside(least, most, node), "give a number in that range");
    } else {
      return OptionalLong.of(number.value().longValueExact());
    }
    return OptionalLong.empty();
  }

  /** A number, fractions included. */
  OptionalDouble number(String key, double least, double most) {
    YamlNode node = value(key).orElse(null);
    return node == null ? OptionalDouble.empty() : number(key, node, least, most);
  }

  /** The number {@code node}, which stands at or below {@code key}. */
  OptionalDouble number(String key, YamlNode node, double least, double most) {
    if (!(node instanceof YamlNode.Number number)) {
      addAt(key, node, "must be a number, not " + node.kind(), "write it bare, as 0.5");
    } else if (number.value().compareTo(BigDecimal.valueOf(least)) < 0
        || number.value().compareTo(BigDecimal.valueOf(most)) > 0) {
      String range = plain(least) + " to " + plain(most);
      String what = "must be from " + range + ", not " + node.kind();
      addAt(key, node, what, "give a number in that range");
    } else {
      return OptionalDouble.of(number.value().doubleValue());
    }
    return OptionalDouble.empty();
  }

  /** {@code true} or {@code false}. */
  Optional<Boolean> flag(String key) {
    YamlNode node = value(key).orElse(null);
    if (node instanceof YamlNode.Flag flag) {
      return Optional.of(flag.value());
    }
    if (node != null) {
      add(key, "must be true or false, not " + node.kind(), "write true or false");
    }
    return Optional.empty();
  }

  /** A text that need not be there. */
  Optional<String> text(String key) {
    YamlNode node = value(key).orElse(null);
    if (node == null || node instanceof YamlNode.Nothing) {
      return Optional.empty();
    }
    if (node instanceof YamlNode.Text text) {
      return Optional.of(text.value());
    }
    add(key, "must be a text, not " + node.kind(), "put it in quotes");
    return Optional.empty();
  }

  /** One of a few words. */
  <T> Optional<T> choice(String key, Map<String, T> words) {
    Optional<String> text = text(key);
    if (text.isPresent() && !words.containsKey(text.get())) {
      String nearest = NearestName.of(text.get(), words.keySet());
      add(key, "unknown value " + text.get(), "the nearest known one is " + nearest);
    }
    return text.map(words::get);
  }

  /** A duration that need not be there. */
  Optional<Duration> duration(String key, Duration least) {
    return value(key).flatMap(node -> duration(key, node, least));
  }

  /** The duration {@code node}, which stands at or below {@code key}. */
  Optional<Duration> duration(String key, YamlNode node, Duration least) {
    Optional<Duration> duration =
        node instanceof YamlNode.Text text ? DurationText.parse(text.value()) : Optional.empty();
    if (duration.isEmpty()) {
      String what =
          "must be a duration of at most " + DurationText.LONGEST.toDays() + " days, not ";
      addAt(key, node, what + node.kind(), "write it as 500ms, 90s, 15m or 36h");
    } else if (duration.get().compareTo(least) < 0) {
      String what = "must be at least " + least.toMillis() + "ms, not " + node.kind();
      addAt(key, node, what, "make it longer");
      return Optional.empty();
    }
    return duration;
  }

  /** The items of a list with at least one. */
  List<YamlNode> list(String key) {
    YamlNode node = value(key).orElse(null);
    if (node instanceof YamlNode.Sequence sequence && !sequence.items().isEmpty()) {
      return sequence.items();
    }
    if (node != null) {
      String kind = node instanceof YamlNode.Sequence ? "an empty one" : node.kind();
      add(key, "must be a list, not " + kind, "write it as [first, second]");
    }
    return List.of();
  }

  private static boolean within(BigDecimal value, long least, long most) {
    return value.compareTo(BigDecimal.valueOf(least)) >= 0
        && value.compareTo(BigDecimal.valueOf(most)) <= 0;
  }

  private static String outside(long least, long most, YamlNode node) {
    return "must be from " + least + " to " + most + ", not " + node.kind();
  }

  private static String plain(double value) {
    return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
  }
}
