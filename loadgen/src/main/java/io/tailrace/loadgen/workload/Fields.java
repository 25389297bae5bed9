// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Typed reading of one file's top-level keys. A value that will not do adds a problem and comes
 * back as some valid value, so that reading goes on to the next key; nobody sees that value,
 * because problems end the reading.
 */
final class Fields {
  private final String file;
  private final int firstLine;
  private final Problems problems;
  private final Map<String, YamlNode.Entry> entries = new LinkedHashMap<>();
  private final Set<String> bad = new HashSet<>();

  /**
   * Takes the entries of {@code root}, adding a problem for every key that is repeated or not
   * supported.
   */
  Fields(String file, YamlNode.Mapping root, KnownKeys known, Problems problems) {
    this.file = file;
    this.firstLine = root.line();
    this.problems = problems;
    for (YamlNode.Entry entry : root.entries()) {
      YamlNode.Entry first = entries.putIfAbsent(entry.key(), entry);
      if (first != null) {
        String what = "given twice, first on line " + first.line();
        problems.add(new Problem(file, entry.line(), entry.key(), what, "keep one"));
      } else if (known.unsupported().containsKey(entry.key())) {
        String origin = known.unsupported().get(entry.key());
        add(entry.key(), "known from " + origin + ", not supported yet", "remove it");
      } else if (!known.supported().contains(entry.key())) {
        String nearest = NearestName.of(entry.key(), known.all());
        add(entry.key(), "unknown key", "the nearest known key is " + nearest);
      }
    }
  }

  /**
   * Adds a problem with {@code key}, on its line, or on the file's first line when it is missing.
   */
  void add(String key, String what, String remedy) {
    bad.add(key);
    problems.add(new Problem(file, lineOf(key), key, what, remedy));
  }

  /** Whether {@code key} got a problem, so that what follows from its value means nothing. */
  boolean isBad(String key) {
    return bad.contains(key);
  }

  boolean has(String key) {
    return entries.containsKey(key);
  }

  int lineOf(String key) {
    return has(key) ? entries.get(key).line() : firstLine;
  }

  Optional<YamlNode> value(String key) {
    return Optional.ofNullable(entries.get(key)).map(YamlNode.Entry::value);
  }

  /** A whole number that must be there. */
  long required(String key, long least, long most) {
    if (!has(key)) {
      add(key, "missing", "add " + key + ": N, a whole number from " + least + " to " + most);
      return least;
    }
    return optional(key, least, least, most);
  }

  /** A whole number. */
  long optional(String key, long absent, long least, long most) {
    return value(key).map(node -> whole(key, node, absent, least, most)).orElse(absent);
  }

  private long whole(String key, YamlNode node, long example, long least, long most) {
    if (node instanceof YamlNode.Number number && number.whole()) {
      if (within(number.value(), least, most)) {
        return number.value().longValueExact();
      }
      add(key, outside(least, most, node), "give a number in that range");
    } else {
      add(
          key,
          "must be a whole number, not " + node.kind(),
          "write it bare, as " + key + ": " + example);
    }
    return least;
  }

  /** A number above 0, fractions included, that must be there. */
  double rate(String key, long most) {
    YamlNode node = value(key).orElse(null);
    if (node == null) {
      add(key, "missing", "add " + key + ": N, messages per second over all producers");
    } else if (!(node instanceof YamlNode.Number number)) {
      add(key, "must be a number, not " + node.kind(), "write it bare, as " + key + ": 1000");
    } else if (number.value().signum() <= 0) {
      add(key, "must be above 0, not " + node.kind(), "give the messages per second to offer");
    } else if (!within(number.value(), 0, most)) {
      add(key, outside(0, most, node), "give a number in that range");
    } else {
      return number.value().doubleValue();
    }
    return 1;
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

  /** A duration that need not be there. */
  Optional<Duration> duration(String key, Duration least) {
    YamlNode node = value(key).orElse(null);
    if (node == null) {
      return Optional.empty();
    }
    Optional<Duration> duration =
        node instanceof YamlNode.Text text ? DurationText.parse(text.value()) : Optional.empty();
    if (duration.isEmpty()) {
      String what =
          "must be a duration of at most " + DurationText.LONGEST.toDays() + " days, not ";
      add(key, what + node.kind(), "write it as 500ms, 90s, 15m or 36h");
    } else if (duration.get().compareTo(least) < 0) {
      add(key, "must be at least " + least.toMillis() + "ms, not " + node.kind(), "make it longer");
    }
    return Optional.of(duration.orElse(least));
  }

  /** Accepts a key of OMB's only as the 0 or {@code false} that turns its feature off. */
  void onlyOff(String key) {
    YamlNode node = value(key).orElse(null);
    boolean off =
        node == null
            || (node instanceof YamlNode.Flag flag && !flag.value())
            || (node instanceof YamlNode.Number number && number.value().signum() == 0);
    if (!off) {
      add(key, node.kind() + " is not supported yet", "remove it, or turn it off with 0 or false");
    }
  }

  private static boolean within(BigDecimal value, long least, long most) {
    return value.compareTo(BigDecimal.valueOf(least)) >= 0
        && value.compareTo(BigDecimal.valueOf(most)) <= 0;
  }

  private static String outside(long least, long most, YamlNode node) {
    return "must be from " + least + " to " + most + ", not " + node.kind();
  }
}
