// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Messages.MessageSpec;
import io.tailrace.loadgen.workload.Phases.PhasesSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec;
import io.tailrace.loadgen.workload.Slo.SloSpec;
import io.tailrace.loadgen.workload.Topics.TopicSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A valid workload file of OMB, its forks or Tailrace. Each section of the file has a class with
 * its keys, its values, its reading and its checks; this one puts them together.
 *
 * @param dialect whose meaning the fields have
 * @param repeat number of runs to make of it, 1 or more
 * @param notes what a reader of the file may not expect, a line each: what was guessed, made, or
 *     not used
 */
public record Workload(
    String name,
    Dialect dialect,
    long seed,
    int repeat,
    List<TopicSpec> topics,
    MessageSpec message,
    Behaviour behaviour,
    PhasesSpec phases,
    List<SloSpec> slo,
    List<String> notes) {

  private static final long DEFAULT_SEED = 42;

  private static final Key<String> NAME =
      Key.omb("name", Kind.TEXT).means("label in results; default: the file's name");
  private static final Key<Long> SEED =
      Key.own("seed", Kind.whole(Long.MIN_VALUE, Long.MAX_VALUE))
          .means("random seed of everything random; default 42");
  private static final Key<Integer> REPEAT =
      Key.own("repeat", Kind.count(1, 10_000)).means("number of runs to make of it; default 1");

  static final List<Key<?>> KEYS =
      Key.all(
          List.of(NAME, Dialect.DIALECT, SEED, REPEAT),
          Topics.KEYS,
          Messages.KEYS,
          Keys.KEYS,
          Rate.KEYS,
          Produce.KEYS,
          Consume.KEYS,
          Behaviour.KEYS,
          Audit.KEYS,
          Durability.KEYS,
          Phases.KEYS,
          Slo.KEYS,
          Vary.KEYS);

  public Workload {
    slo = List.copyOf(slo);
    notes = List.copyOf(notes);
  }

  boolean produces() {
    return topics.stream().anyMatch(topic -> topic.producers() > 0);
  }

  boolean consumes() {
    return topics.stream().anyMatch(topic -> topic.subscriptions() > 0);
  }

  /**
   * Reads a workload file and the payload files it names; empty when it is not YAML. With any
   * problem it must not be used.
   */
  public static Optional<Workload> read(Path file, Problems problems) {
    return YamlNode.read(file, problems).map(root -> read(file, root, Dialect.Hint.NONE, problems));
  }

  static Workload read(Path file, YamlNode.Mapping root, Dialect.Hint hint, Problems problems) {
    Fields fields = new Fields(file.toString(), root, Key.names(KEYS), problems);
    List<String> notes = new ArrayList<>();
    Dialect dialect = Dialect.read(fields, hint, notes);
    List<TopicSpec> topics = Topics.read(fields);
    boolean produces = topics.stream().anyMatch(topic -> topic.producers() > 0);
    MessageSpec message = Messages.read(file, fields, produces, notes);
    double meanBytes = message.size().mean();
    RateSpec rate = Rate.read(fields, dialect, meanBytes, produces, notes);
    Behaviour behaviour = Behaviour.read(fields, rate, meanBytes);
    boolean volumeEnds = behaviour.messages().isPresent() || behaviour.readToEnd();
    Workload workload =
        new Workload(
            fields.read(NAME).orElseGet(() -> nameOf(file)),
            dialect,
            fields.read(SEED).orElse(DEFAULT_SEED),
            fields.read(REPEAT).orElse(1),
            topics,
            message,
            behaviour,
            Phases.read(fields, dialect, meanBytes, volumeEnds, notes),
            Slo.read(fields, meanBytes),
            notes);
    workload.check(fields);
    return workload;
  }

  /** Reports what only several keys together show: sections that exclude each other. */
  private void check(Fields fields) {
    Topics.check(topics, fields);
    Behaviour.check(this, fields);
    Rate.check(this, fields);
    Keys.check(this, fields);
    Produce.check(this, fields);
    Consume.check(this, fields);
    Phases.check(this, fields);
    Slo.check(this, fields);
  }

  /**
   * Reports what the workload asks for and the driver makes impossible, at the workload's key: one
   * driver file serves many workloads. {@code sound}: both files are valid so far.
   */
  void checkDriver(Driver driver, Fields fields, ClientConfig.Names names, boolean sound) {
    if (produces()) {
      Messages.checkDriver(this, driver, fields, names);
      Produce.checkDriver(this, driver, fields, names, sound);
    }
    Phases.checkDriver(this, driver, fields);
  }

  /** The declared keys among {@code names}, in the order of {@code names}. */
  static List<Key<?>> known(Set<String> names) {
    return names.stream()
        .flatMap(name -> KEYS.stream().filter(key -> key.name().equals(name)))
        .<Key<?>>map(key -> key)
        .toList();
  }

  /** The label of a file without a name: its file name without folder and extension. */
  static String nameOf(Path file) {
    String name = file.getFileName().toString();
    int dot = name.lastIndexOf('.');
    return dot > 0 ? name.substring(0, dot) : name;
  }
}
