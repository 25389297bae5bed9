// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** The benchmark whose meaning a workload file's keys have. */
public enum Dialect implements Kind.Labelled {
  OMB,
  REDPANDA,
  VANLIGHTLY,
  AUTOMQ,
  TAILRACE;

  static final Key<Dialect> DIALECT =
      Key.own("dialect", Kind.choice(values()))
          .means("the benchmark whose meaning the keys have; default: guessed from the keys used");

  /**
   * What is known of a file's dialect from outside the file. The file's own {@code dialect} comes
   * first, then {@code named}, then {@code likely}.
   *
   * @param named the dialect that the user names
   * @param likely the dialect that the driver file suggests; used only where the file's keys allow
   *     it
   */
  public record Hint(Optional<Dialect> named, Optional<Dialect> likely) {
    public static final Hint NONE = new Hint(Optional.empty(), Optional.empty());

    /** A hint from a user's option, which may be null, and a driver file, perhaps unreadable. */
    public static Hint of(Dialect named, Path driverFile) {
      Optional<Dialect> likely =
          YamlNode.read(driverFile, new Problems()).stream()
              .flatMap(root -> root.entries().stream())
              .filter(entry -> entry.key().equals(Driver.DRIVER_CLASS.name()))
              .map(entry -> entry.value().text())
              .filter(name -> name.startsWith(DriverClass.REDPANDA_PACKAGE))
              .map(name -> REDPANDA)
              .findFirst();
      return new Hint(Optional.ofNullable(named), likely);
    }
  }

  public static Optional<Dialect> labelled(String label) {
    return Arrays.stream(values()).filter(each -> each.label().equals(label)).findFirst();
  }

  /** The length of the warm-up where the file has none. */
  Duration warmup() {
    return Duration.ofMinutes(this == REDPANDA || this == VANLIGHTLY ? 30 : 1);
  }

  /**
   * The dialect that the file or else {@code hint} names. Without either, the likely one if it
   * knows all keys of the file, else the first that does. Reports each key that the named dialect
   * does not know, or one problem when no single dialect knows all keys.
   *
   * @param notes takes a line with the guess
   */
  static Dialect read(Fields fields, Hint hint, List<String> notes) {
    List<Key<?>> used = Workload.known(fields.names());
    if (fields.has(DIALECT) || hint.named().isPresent()) {
      Dialect named = fields.read(DIALECT).or(hint::named).orElse(TAILRACE);
      used.stream()
          .filter(key -> key != DIALECT && !key.dialects().contains(named))
          .forEach(key -> refuse(fields, key, named));
      return named;
    }
    List<Key<?>> distinctive =
        used.stream().filter(key -> key.dialects().size() < values().length).toList();
    Set<Dialect> possible = EnumSet.allOf(Dialect.class);
    distinctive.forEach(key -> possible.retainAll(key.dialects()));
    if (possible.size() == 1 && used.stream().noneMatch(Key::isOwn)) {
      refuseMixture(fields, distinctive);
    }
    Optional<Dialect> likely = hint.likely().filter(possible::contains);
    Dialect guess = likely.orElse(possible.iterator().next());
    String basis =
        likely.isPresent()
            ? "the driver file's driverClass"
            : distinctive.isEmpty() ? "fields that all dialects share" : names(distinctive);
    String difference = difference(fields, guess, possible);
    notes.add("dialect " + guess.label() + ", guessed from " + basis + difference);
    return guess;
  }

  /** What another dialect that knows all keys would read differently; empty for nothing. */
  private static String difference(Fields fields, Dialect guess, Set<Dialect> possible) {
    if (fields.has(Phases.WARMUP_DURATION) || fields.has(Phases.WARMUP_DURATION_MINUTES)) {
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

  private static void refuse(Fields fields, Key<?> key, Dialect named) {
    String what = "not a key of dialect " + named.label() + " but of " + benchmarks(key);
    fields.add(key, what, "remove it, or set dialect: " + TAILRACE.label());
  }

  /** Only Tailrace's own dialect knows all keys, and the file has none of Tailrace's own keys. */
  private static void refuseMixture(Fields fields, List<Key<?>> keys) {
    List<String> sides = new ArrayList<>();
    keys.forEach(key -> sides.add(key.name() + " (" + benchmarks(key) + ")"));
    String what = "no dialect knows all of " + String.join(", ", sides);
    fields.add(keys.get(0), what, "remove one side, or set dialect: " + TAILRACE.label());
  }

  /** The dialects beside Tailrace's own that know {@code key}; Tailrace's if there are none. */
  static String benchmarks(Key<?> key) {
    return key.isOwn()
        ? TAILRACE.label()
        : key.dialects().stream()
            .filter(dialect -> dialect != TAILRACE)
            .map(Dialect::label)
            .collect(Collectors.joining(" or "));
  }

  private static String names(List<Key<?>> keys) {
    String shown = keys.stream().limit(3).map(Key::name).collect(Collectors.joining(", "));
    return keys.size() > 3 ? shown + ", …" : shown;
  }
}
