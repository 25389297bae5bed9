// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import java.util.Map;

/**
 * Result of {@link EventPipeline#finish}.
 *
 * @param streams report of every stream except the ledger
 * @param unshipped rows unsettled at the deadline; they may or may not be stored
 * @param spooled how many of them are in the spool, for a replay; the others are counted as lost
 *     with reason {@code unshipped_at_deadline}
 */
public record ShipReport(
    Map<String, StreamReport> streams, long unshipped, long spooled, boolean ledgerCommitted) {}
