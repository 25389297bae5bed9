// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Finds out whose dialect a workload file is written in. */
final class DialectGuess {
  private static final String KEY = "dialect";

  private DialectGuess() {}

  /**
   * The dialect that {@code fields} or else {@code hint} names, or else, of those that know all its
   * keys, the one the hint thinks likely or the first. Adds a problem for each key that the named
   * dialect does not know, or one when no single dialect knows them all.
   *
   * @param notes takes a line that says what was guessed
   */
  static Dialect of(Fields fields, DialectHint hint, List<String> notes) {
    if (fields.has(KEY) || hint.named().isPresent()) {
      Dialect named = fields.choice(KEY, labels()).or(hint::named).orElse(Dialect.TAILRACE);
      fields.keys().stream()
          .filter(key -> WorkloadKeys.ALL.contains(key) && !key.equals(KEY))
          .filter(key -> !WorkloadKeys.dialects(key).contains(named))
          .forEach(key -> foreign(fields, key, named));
      return named;
    }
    Set<Dialect> possible = EnumSet.allOf(Dialect.class);
    Map<String, Set<Dialect>> telling = new LinkedHashMap<>();
    for (String key : fields.keys()) {
      Set<Dialect> dialects = WorkloadKeys.dialects(key);
      if (WorkloadKeys.ALL.contains(key) && dialects.size() < Dialect.values().length) {
        telling.put(key, dialects);
        possible.retainAll(dialects);
      }
    }
    boolean ours = fields.keys().stream().anyMatch(WorkloadKeys::ours);
    if (!ours && possible.size() == 1) {
      clash(fields, telling);
    }
    Optional<Dialect> likely = hint.likely().filter(possible::contains);
    Dialect guess = likely.orElse(possible.iterator().next());
    String from = telling.isEmpty() ? "fields that all dialects share" : sample(telling.keySet());
    notes.add(
        "dialect "
            + guess.label()
            + ", guessed from "
            + (likely.isPresent() ? "the driver file's driverClass" : from)
            + difference(fields, guess, possible));
    return guess;
  }

  /** What another dialect that knows all keys too would make of the same file; or nothing. */
  private static String difference(Fields fields, Dialect guess, Set<Dialect> possible) {
    if (fields.has("warmupDuration") || fields.has("warmupDurationMinutes")) {
      return "";
    }
    return possible.stream()
        .filter(other -> !other.warmup().equals(guess.warmup()))
        .findFirst()
        .map(
            other ->
                String.format(
                    "; warm-up %d min: dialect %s would make it %d min (--dialect %s)",
                    guess.warmup().toMinutes(),
                    other.label(),
                    other.warmup().toMinutes(),
                    other.label()))
        .orElse("");
  }

  private static void foreign(Fields fields, String key, Dialect named) {
    String what = "not a key of dialect " + named.label() + " but of " + names(key);
    fields.add(key, what, "remove it, or set dialect: " + Dialect.TAILRACE.label());
  }

  /** Only Tailrace's own dialect is left, though the file has no key of its own. */
  private static void clash(Fields fields, Map<String, Set<Dialect>> telling) {
    List<String> sides = new ArrayList<>();
    telling.forEach((key, dialects) -> sides.add(key + " (" + names(key) + ")"));
    String first = telling.keySet().iterator().next();
    String what = "no dialect knows all of " + String.join(", ", sides);
    fields.add(first, what, "remove one side, or set dialect: " + Dialect.TAILRACE.label());
  }

  private static String names(String key) {
    Set<Dialect> dialects = WorkloadKeys.dialects(key);
    String others =
        dialects.stream()
            .filter(dialect -> dialect != Dialect.TAILRACE)
            .map(Dialect::label)
            .collect(Collectors.joining(" or "));
    return others.isEmpty() ? Dialect.TAILRACE.label() : others;
  }

  private static String sample(Set<String> keys) {
    String shown = keys.stream().limit(3).collect(Collectors.joining(", "));
    return keys.size() > 3 ? shown + ", …" : shown;
  }

  private static Map<String, Dialect> labels() {
    return Arrays.stream(Dialect.values())
        .collect(
            Collectors.toMap(Dialect::label, dialect -> dialect, (a, b) -> a, LinkedHashMap::new));
  }
}
