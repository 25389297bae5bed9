// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.List;

/**
 * A valid workload file.
 *
 * @param name label of the workload
 * @param dialect whose meaning the fields have
 * @param seed seed of everything random
 * @param repeat how many runs to make of it, 1 or more
 * @param topics its topics, one or more
 * @param message what message values are
 * @param behaviour how clients behave
 * @param phases the stretches of the run
 * @param slo bounds that decide the exit code
 * @param notes what a reader of the file may not expect, a line each: what was guessed, made, or
 *     not obeyed
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
  public Workload {
    slo = List.copyOf(slo);
    notes = List.copyOf(notes);
  }
}
