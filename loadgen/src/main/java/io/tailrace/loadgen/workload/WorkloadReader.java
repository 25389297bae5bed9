// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads workload files of OMB and its forks, with Tailrace's keys beside theirs. */
public final class WorkloadReader {
  private static final long DEFAULT_SEED = 42;
  private static final int MOST_REPEATS = 10_000;

  private final Path file;
  private final Fields fields;
  private final List<String> notes = new ArrayList<>();

  private WorkloadReader(Path file, Fields fields) {
    this.file = file;
    this.fields = fields;
  }

  /**
   * Reads a workload file and the payload files it names.
   *
   * @param problems takes every problem; when it got any, the workload returned is not to be used
   * @return empty when the file could not be read as YAML
   */
  public static Optional<Workload> read(Path file, Problems problems) {
    return YamlFile.read(file, problems).map(root -> read(file, root, DialectHint.NONE, problems));
  }

  /** Reads a workload from a file's mapping. */
  static Workload read(Path file, YamlNode.Mapping root, DialectHint hint, Problems problems) {
    Fields fields = new Fields(file.toString(), root, WorkloadKeys.ALL, problems);
    return new WorkloadReader(file, fields).workload(hint);
  }

  private Workload workload(DialectHint hint) {
    Dialect dialect = DialectGuess.of(fields, hint, notes);
    List<TopicSpec> topics = new TopicsReader(fields).read();
    boolean produces = topics.stream().anyMatch(topic -> topic.producers() > 0);
    MessageSpec message = new MessageReader(file, fields, notes).read(produces);
    double meanBytes = message.size().mean();
    RateSpec rate = new RateReader(fields, dialect, meanBytes, notes).read(produces);
    Behaviour behaviour = new BehaviourReader(fields).read(rate, meanBytes);
    boolean endsByItself = behaviour.messages().isPresent() || behaviour.readToEnd();
    Workload workload =
        new Workload(
            fields.text("name").orElseGet(() -> FileStem.of(file)),
            dialect,
            fields.whole("seed", Long.MIN_VALUE, Long.MAX_VALUE).orElse(DEFAULT_SEED),
            (int) fields.whole("repeat", 1, MOST_REPEATS).orElse(1),
            topics,
            message,
            behaviour,
            new PhasesReader(fields, dialect, meanBytes).read(endsByItself),
            SloReader.read(fields, meanBytes),
            notes);
    WorkloadConflicts.check(workload, fields);
    ModeConflicts.check(workload, fields);
    return workload;
  }
}
