// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Map;
import java.util.Optional;

/**
 * Properties that Kafka knows and a driver file may not set, because Tailrace sets them or cannot
 * honour them.
 */
final class SectionRules {
  /** Why a property is refused, and the remedy. */
  record Refusal(String what, String remedy) {}

  private static final String REMOVE = "remove it";
  private static final Refusal SERIALIZER =
      new Refusal("messages are bytes, which Tailrace sends and reads as they are", REMOVE);

  private static final Map<String, Refusal> REFUSED =
      Map.of(
          "key.serializer",
          SERIALIZER,
          "value.serializer",
          SERIALIZER,
          "key.deserializer",
          SERIALIZER,
          "value.deserializer",
          SERIALIZER,
          "client.id",
          new Refusal("Tailrace names every client of a run", REMOVE),
          "group.id",
          new Refusal("Tailrace names one consumer group per topic and subscription", REMOVE),
          "group.instance.id",
          new Refusal("all consumers would take one identity and fence each other", REMOVE),
          "transactional.id",
          new Refusal("transactions are not supported yet", REMOVE));

  private SectionRules() {}

  static Optional<Refusal> refusal(Section section, String name) {
    if (name.equals(Driver.BOOTSTRAP_SERVERS) && section != Section.COMMON) {
      String what = "all clients of a run must reach one cluster";
      return Optional.of(new Refusal(what, "move it to commonConfig"));
    }
    return Optional.ofNullable(REFUSED.get(name));
  }
}
