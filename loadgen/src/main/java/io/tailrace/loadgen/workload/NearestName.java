// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;

/** Finds the known name that a mistyped one was probably meant to be. */
final class NearestName {
  private NearestName() {}

  /**
   * The candidate with the fewest insertions, deletions, substitutions and swaps of neighbours,
   * upper and lower case being the same; of several the alphabetically first.
   *
   * @param candidates at least one
   */
  static String of(String name, Collection<String> candidates) {
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
