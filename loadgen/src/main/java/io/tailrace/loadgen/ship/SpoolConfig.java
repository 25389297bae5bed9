// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.spool.Spool;
import java.util.List;
import java.util.function.Supplier;

/**
 * The spool of a pipeline, which deletes or closes it when the pipeline finishes.
 *
 * @param spool keeps blocks until they are stored
 * @param counted supplies the load's counts so far; called from another thread
 */
public record SpoolConfig(Spool spool, Supplier<List<LedgerEntry>> counted) {}
