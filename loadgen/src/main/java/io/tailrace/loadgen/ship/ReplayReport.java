// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.contract.LossReasons;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Result of a {@link Replay}.
 *
 * @param stored rows that the collector reported committed in this replay
 * @param lost rows lost over the whole run, by reason
 */
public record ReplayReport(
    String runId,
    long stored,
    long remaining,
    Map<String, Long> lost,
    Damage damage,
    boolean ledgerStored) {
  public record Damage(long unreadableBytes, Optional<Path> folder) {}

  /** Whether the load generator was killed, so that the rows it recorded last are in no count. */
  public boolean killed() {
    return lost.containsKey(LossReasons.KILLED);
  }

  /** Whether all rows that the run is known to have recorded are stored, including the ledger. */
  public boolean allStored() {
    return remaining == 0 && ledgerStored && lost.values().stream().allMatch(rows -> rows == 0);
  }
}
