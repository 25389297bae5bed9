// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads how messages get their keys: OMB's {@code keyDistributor} or our {@code keys}. */
final class KeysReader {
  static final Set<String> KEYS = Set.of("choice", "count", "bytes", "exponent");

  /** What OMB has: 10,000 keys of seven random bytes in Base64. */
  private static final int COUNT = 10_000;

  private static final int BYTES = 10;
  private static final double EXPONENT = 0.99;
  private static final int MOST_COUNT = 100_000_000;
  private static final int LEAST_BYTES = 6;
  private static final int MOST_BYTES = 1 << 16;
  private static final String OMBS = "keyDistributor";
  private static final String OURS = "keys";

  private static final Map<String, KeySpec.Choice> OMBS_WORDS =
      Map.of(
          "NO_KEY", KeySpec.Choice.NONE,
          "KEY_ROUND_ROBIN", KeySpec.Choice.ROUND_ROBIN,
          "RANDOM_NANO", KeySpec.Choice.RANDOM);
  private static final Map<String, KeySpec.Choice> WORDS =
      Map.of(
          "none", KeySpec.Choice.NONE,
          "roundRobin", KeySpec.Choice.ROUND_ROBIN,
          "random", KeySpec.Choice.RANDOM,
          "zipf", KeySpec.Choice.ZIPF);

  private KeysReader() {}

  static KeySpec read(Fields fields) {
    if (fields.has(OMBS) && fields.has(OURS)) {
      fields.add(OURS, "given beside " + OMBS, "keep one of the two");
    }
    KeySpec.Choice ombs = fields.choice(OMBS, OMBS_WORDS).orElse(KeySpec.Choice.NONE);
    if (!fields.has(OURS)) {
      return of(ombs, COUNT, BYTES, EXPONENT);
    }
    if (fields.value(OURS).orElseThrow() instanceof YamlNode.Text) {
      return of(fields.choice(OURS, WORDS).orElse(KeySpec.Choice.NONE), COUNT, BYTES, EXPONENT);
    }
    return fields.section(OURS, KEYS).map(KeysReader::ours).orElse(KeySpec.NO_KEYS);
  }

  private static KeySpec ours(Fields keys) {
    Optional<KeySpec.Choice> choice = keys.choice("choice", WORDS);
    if (!keys.has("choice")) {
      keys.add("choice", "missing", "add choice: roundRobin, random or zipf");
    }
    if (keys.has("exponent") && choice.filter(c -> c == KeySpec.Choice.ZIPF).isEmpty()) {
      keys.add("exponent", "means something for zipf only", "remove it, or set choice: zipf");
    }
    return of(
        choice.orElse(KeySpec.Choice.NONE),
        (int) keys.whole("count", 1, MOST_COUNT).orElse(COUNT),
        (int) Quantities.bytes(keys, "bytes", LEAST_BYTES, MOST_BYTES).orElse(BYTES),
        keys.number("exponent", 0.01, 10).orElse(EXPONENT));
  }

  private static KeySpec of(KeySpec.Choice choice, int count, int bytes, double exponent) {
    return choice == KeySpec.Choice.NONE
        ? KeySpec.NO_KEYS
        : new KeySpec(choice, count, bytes, choice == KeySpec.Choice.ZIPF ? exponent : 0);
  }
}
