// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockStream;
import io.tailrace.loadgen.block.EncodedBlock;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.spool.StreamProgress;
import io.tailrace.loadgen.spool.WorkerId;
import java.util.List;

/**
 * Ships a broker's counts every few seconds. One ledger block is on its way at a time, so their
 * number stays small while the collector is away. For one thread at a time.
 */
final class ProgressLedger {
  private final LedgerIntervals intervals;
  private final RowCounts counts;
  private final Recorders recorders;
  private final WorkerId id;
  private EncodedBlock unanswered;
  private long storedBefore;

  ProgressLedger(RowCounts counts, Recorders recorders, WorkerId id, long fromMicros) {
    this.counts = counts;
    this.recorders = recorders;
    this.id = id;
    intervals = new LedgerIntervals(counts, BlockStream.BROKER_REQUESTS, fromMicros);
  }

  /** Ships what was counted, if it is time. */
  void tick(Shipper shipper, long nowMicros) {
    boolean ready = intervals.ready(nowMicros);
    if (answered() && ready) {
      unanswered = encode(intervals.entries(nowMicros));
      shipper.offerLedger(unanswered);
    }
  }

  /** Whether no block is on its way. The counts of a refused one are in the next. */
  private boolean answered() {
    StreamProgress ledger = counts.progress(FinalLedger.STREAM);
    if (unanswered != null && ledger.settledSeq() > unanswered.head().seq()) {
      if (ledger.stored() > storedBefore) {
        intervals.confirm();
      }
      storedBefore = ledger.stored();
      unanswered = null;
    }
    return unanswered == null;
  }

  /**
   * Ships the last counts by another shipper. A block without an answer is sent again before, the
   * same bytes under the same number, so that it counts once.
   */
  void last(Shipper shipper, long endMicros) {
    if (!answered()) {
      shipper.offerLedger(unanswered);
      intervals.confirm();
    }
    shipper.offerLedger(encode(intervals.last(endMicros)));
  }

  private EncodedBlock encode(List<LedgerEntry> entries) {
    long seq = counts.progress(FinalLedger.STREAM).nextSeq();
    return FinalLedger.encode(entries, recorders, id, seq);
  }
}
