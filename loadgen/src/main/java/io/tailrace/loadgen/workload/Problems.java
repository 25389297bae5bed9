// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** Collects problems with input files, so that a user sees all at once. Not thread-safe. */
public final class Problems {
  /**
   * One thing wrong with an input file.
   *
   * @param line line from 1, or 0 when the problem has no line (a missing file)
   * @param keyPath where in the file, as {@code producerConfig.linger.ms}, or empty for the whole
   *     file
   */
  public record Problem(String file, int line, String keyPath, String what, String remedy) {
    /** The problem as the one line that a user sees: {@code FILE:LINE: key.path: what; remedy}. */
    public String text() {
      String position = line > 0 ? file + ":" + line : file;
      String path = keyPath.isEmpty() ? "" : keyPath + ": ";
      return position + ": " + path + what + "; " + remedy;
    }
  }

  /** The input files cannot be used. The message has one line per problem. */
  public static final class InvalidInputException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public InvalidInputException(List<Problem> problems) {
      super(problems.stream().map(Problem::text).collect(Collectors.joining("\n")));
    }
  }

  private final Map<String, Set<Problem>> byFile = new LinkedHashMap<>();

  /** Adds one problem, once, even if several points of a campaign share it. */
  public void add(Problem problem) {
    byFile.computeIfAbsent(problem.file(), file -> new LinkedHashSet<>()).add(problem);
  }

  /** All problems: files in the order of reading, within a file by line. */
  public List<Problem> all() {
    return byFile.values().stream()
        .flatMap(list -> list.stream().sorted(Comparator.comparingInt(Problem::line)))
        .toList();
  }

  public void throwIfAny() {
    if (!byFile.isEmpty()) {
      throw new InvalidInputException(all());
    }
  }

  /**
   * The known name that {@code name} was probably meant to be: the candidate with the fewest
   * insertions, deletions, substitutions and swaps of neighbours, upper and lower case being the
   * same; of several the alphabetically first.
   *
   * @param candidates at least one
   */
  static String nearest(String name, Collection<String> candidates) {
    String folded = name.toLowerCase(Locale.ROOT);
    return candidates.stream()
        .min(
            Comparator.comparingInt((String c) -> distance(folded, c.toLowerCase(Locale.ROOT)))
                .thenComparing(Comparator.naturalOrder()))
        .orElseThrow();
  }

  /** Optimal string alignment distance. */
  static int distance(String a, String b) {
    int[][] d = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      d[i][0] = i;
    }
    for (int j = 0; j <= b.length(); j++) {
      d[0][j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      for (int j = 1; j <= b.length(); j++) {
        int substitution = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int best = Math.min(d[i - 1][j - 1] + substitution, Math.min(d[i - 1][j], d[i][j - 1]) + 1);
        boolean swapped =
            i > 1
                && j > 1
                && a.charAt(i - 1) == b.charAt(j - 2)
                && a.charAt(i - 2) == b.charAt(j - 1);
        d[i][j] = swapped ? Math.min(best, d[i - 2][j - 2] + 1) : best;
      }
    }
    return d[a.length()][b.length()];
  }
}
