// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Result of a {@link Replay}.
 *
 * @param runId run that the blocks belong to
 * @param stored rows that the collector reported committed in this replay
 * @param remaining rows still in the spool
 * @param lost rows lost over the whole run, by reason
 * @param unreadableBytes bytes in the spool that could not be read
 * @param damagedFolder folder of damaged segments; empty if there are none
 * @param ledgerStored whether the run's ledger is stored
 */
public record ReplayReport(
    String runId,
    long stored,
    long remaining,
    Map<String, Long> lost,
    long unreadableBytes,
    Optional<Path> damagedFolder,
    boolean ledgerStored) {
  /** Whether the load generator was killed, so that the rows it recorded last are in no count. */
  public boolean killed() {
    return lost.containsKey(Recovery.LOST_KILLED);
  }

  /** Whether all rows that the run is known to have recorded are stored, including the ledger. */
  public boolean allStored() {
    return remaining == 0 && ledgerStored && lost.values().stream().allMatch(rows -> rows == 0);
  }
}
