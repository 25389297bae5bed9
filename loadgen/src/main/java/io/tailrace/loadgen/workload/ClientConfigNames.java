// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What the Kafka client library knows about configuration. Behind an interface: only {@code kafka}
 * may import it.
 */
public interface ClientConfigNames {
  /** Whose configuration. */
  enum Owner {
    TOPIC,
    ADMIN,
    PRODUCER,
    CONSUMER
  }

  /** All names that {@code owner} knows. */
  Set<String> names(Owner owner);

  /** Why {@code value} will not do for {@code name}, in one line, or empty when it will. */
  Optional<String> badValue(Owner owner, String name, String value);

  /** Why valid values do not go together, in one line, or empty when they do. */
  Optional<String> conflict(Owner owner, Map<String, String> config);
}
