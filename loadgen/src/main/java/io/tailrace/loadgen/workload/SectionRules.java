// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Properties that Kafka knows and a driver file may not set, because Tailrace sets them or cannot
 * honour them.
 */
final class SectionRules {
  /** Why a property is refused, and the remedy. */
  record Refusal(String what, String remedy) {}

  private static final String REMOVE = "remove it";
  private static final Map<String, Refusal> REFUSED =
      Map.of(
          "group.instance.id",
          new Refusal("all consumers would take one identity and fence each other", REMOVE),
          "transactional.id",
          new Refusal(
              "Tailrace names every producer's transactions",
              "remove it; add transactions: {messages: N} to the workload"));

  /** OMB's own driver overwrites these, and its sample files set some of them. */
  private static final Set<String> OVERRULED =
      Set.of(
          "client.id",
          "group.id",
          "key.serializer",
          "value.serializer",
          "key.deserializer",
          "value.deserializer");

  private SectionRules() {}

  /** Whether a property may stand in a file and changes nothing. */
  static boolean overruled(String name) {
    return OVERRULED.contains(name);
  }

  static Optional<Refusal> refusal(Section section, String name) {
    if (name.equals(Driver.BOOTSTRAP_SERVERS) && section != Section.COMMON) {
      String what = "all clients of a run must reach one cluster";
      return Optional.of(new Refusal(what, "move it to commonConfig"));
    }
    return Optional.ofNullable(REFUSED.get(name));
  }
}
