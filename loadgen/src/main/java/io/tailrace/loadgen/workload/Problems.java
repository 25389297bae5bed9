// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Collects problems, so that a user sees all of them after one try. Not thread-safe. */
public final class Problems {
  private final Map<String, Set<Problem>> byFile = new LinkedHashMap<>();

  /** Adds one problem; one that is known already stays one, as when several points share it. */
  public void add(Problem problem) {
    byFile.computeIfAbsent(problem.file(), file -> new LinkedHashSet<>()).add(problem);
  }

  /** All problems: files in the order they were read, within a file by line. */
  public List<Problem> all() {
    return byFile.values().stream()
        .flatMap(list -> list.stream().sorted(Comparator.comparingInt(Problem::line)))
        .toList();
  }

  /**
   * Returns when there is no problem.
   *
   * @throws InvalidInputException with all problems when there is one
   */
  public void throwIfAny() {
    if (!byFile.isEmpty()) {
      throw new InvalidInputException(all());
    }
  }
}
