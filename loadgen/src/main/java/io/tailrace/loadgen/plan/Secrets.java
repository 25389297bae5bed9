// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/** Hides secrets in configuration that is shown or stored. */
final class Secrets {
  private static final String MASK = "***";
  private static final List<String> MARKS =
      List.of("password", "jaas", "secret", "token", "credential", "keystore.key");

  private Secrets() {}

  /** A copy in which the value of every property whose name speaks of a secret is {@code ***}. */
  static SortedMap<String, String> masked(Map<String, String> config) {
    SortedMap<String, String> masked = new TreeMap<>();
    config.forEach((name, value) -> masked.put(name, isSecret(name) ? MASK : value));
    return masked;
  }

  private static boolean isSecret(String name) {
    String folded = name.toLowerCase(Locale.ROOT);
    return MARKS.stream().anyMatch(folded::contains);
  }
}
