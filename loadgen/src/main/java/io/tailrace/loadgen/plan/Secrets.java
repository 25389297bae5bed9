// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Masks secrets in configuration that is shown or stored. */
final class Secrets {
  private static final String MASK = "***";

  /** The tailrace command masks the same names; both are tested with testdata/secret_names.json. */
  private static final Pattern MARKS =
      Pattern.compile(
          "password|passwd|jaas|secret|token|credential|keystore\\.key|(private|access|api)[._-]?key",
          Pattern.CASE_INSENSITIVE);

  private Secrets() {}

  /** A copy in which the value of every property with a secret's name is {@code ***}. */
  static SortedMap<String, String> masked(Map<String, String> config) {
    return new TreeMap<>(maskedInOrder(config));
  }

  /** As {@link #masked}, in the order of {@code config}. */
  static Map<String, String> maskedInOrder(Map<String, String> config) {
    Map<String, String> masked = new LinkedHashMap<>();
    config.forEach((name, value) -> masked.put(name, isSecret(name) ? MASK : value));
    return masked;
  }

  private static boolean isSecret(String name) {
    return MARKS.matcher(name).find();
  }
}
