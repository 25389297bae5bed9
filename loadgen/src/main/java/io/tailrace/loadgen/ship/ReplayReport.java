// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import java.util.Map;

/**
 * Result of a {@link Replay}.
 *
 * @param runId run whose blocks they were
 * @param stored rows that the collector reported committed in this replay
 * @param left rows still in the spool
 * @param lost rows lost over the whole run, by reason
 * @param unreadableBytes bytes in the spool that could not be read
 * @param ledgerStored whether the run's ledger is stored
 */
public record ReplayReport(
    String runId,
    long stored,
    long left,
    Map<String, Long> lost,
    long unreadableBytes,
    boolean ledgerStored) {
  /** Whether everything that was in the spool is stored, the ledger included. */
  public boolean allStored() {
    return left == 0
        && ledgerStored
        && !lost.containsKey(Shipper.LOST_DAMAGED)
        && !lost.containsKey(Shipper.LOST_REFUSED);
  }
}
