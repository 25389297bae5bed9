// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.spool.Spool;
import java.util.List;
import java.util.function.Supplier;

/** The spool of a pipeline, which deletes or closes it at its end, and the load's counts so far. */
public record SpoolConfig(Spool spool, Supplier<List<LedgerEntry>> counted) {}
