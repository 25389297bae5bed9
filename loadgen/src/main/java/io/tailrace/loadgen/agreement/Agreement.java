// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import java.util.Map;
import java.util.Optional;

/**
 * What the workers of one run have to know of each other. The leader keeps it; the others exchange
 * it with the leader over HTTP. No call waits for the network, except {@link #finish}.
 */
public interface Agreement extends AutoCloseable {
  /** Whether this worker is the leader, which decides for all. */
  boolean leads();

  /** Whether this worker and the leader have met. */
  boolean met();

  /**
   * Announces a decision to the other workers.
   *
   * @throws IllegalStateException on a worker that is not the leader
   */
  void announce(Decision decision);

  /** The leader's latest decision, as of some 300 ms ago. */
  Optional<Decision> decision();

  /**
   * Reports how far this worker's consumers have read.
   *
   * @param positions offsets by partition; only of partitions that are assigned to this worker now
   */
  void report(String group, Map<Integer, Long> positions);

  /** How far workers have reported to have read in a group, by partition; about a second old. */
  Map<Integer, Long> positions(String group);

  /** Why the leader counts as lost, in one line; empty while it answers. */
  Optional<String> leaderLost();

  /** Reports that this worker's clients are closed: it needs nothing of the others any more. */
  void finish();

  /** Whether every other worker has finished. Only the leader knows. */
  boolean othersFinished();

  /** Whether some other worker is still at work: it reported lately and has not finished. */
  boolean othersActive();

  @Override
  void close();
}
