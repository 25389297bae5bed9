// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import java.util.Map;
import java.util.Optional;

/**
 * What the workers of one run have to know of each other. The leader keeps it; the others exchange
 * it with the leader over HTTP. No call waits for the network, except {@link #finish}. The default
 * methods are those of a lone worker, which has nothing to agree on.
 */
public interface Agreement extends AutoCloseable {
  Agreement ALONE = new Agreement() {};

  /** Whether this worker is the leader, which decides for all. */
  default boolean leads() {
    return true;
  }

  default boolean met() {
    return true;
  }

  /** Announces a decision to the other workers; only the leader may. */
  default void announce(Decision decision) {}

  /** The leader's latest decision, as of some 300 ms ago. */
  default Optional<Decision> decision() {
    return Optional.empty();
  }

  /** Reports up to which offset of each partition assigned to it this worker has read. */
  default void report(String group, Map<Integer, Long> positions) {}

  /** How far workers have reported to have read in a group, by partition; about a second old. */
  default Map<Integer, Long> positions(String group) {
    return Map.of();
  }

  /** Why the leader counts as lost, in one line; empty while it answers. */
  default Optional<String> leaderLost() {
    return Optional.empty();
  }

  /** Reports that this worker's clients are closed: it needs nothing of the others any more. */
  default void finish() {}

  /** Whether every other worker has finished. Only the leader knows. */
  default boolean othersFinished() {
    return true;
  }

  /** Whether some other worker has reported lately and has not finished. Only the leader knows. */
  default boolean othersActive() {
    return false;
  }

  @Override
  default void close() {}
}
