// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.spool.Spool;
import java.util.List;
import java.util.function.Supplier;

/**
 * A spool for a pipeline, which deletes or closes it at its end.
 *
 * @param spool where blocks are kept until they are stored
 * @param counted what the load has counted so far, asked once a second from another thread
 */
public record SpoolConfig(Spool spool, Supplier<List<LedgerEntry>> counted) {}
