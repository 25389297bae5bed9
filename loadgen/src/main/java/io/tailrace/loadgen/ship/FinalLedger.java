// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockStream;
import io.tailrace.loadgen.block.EncodedBlock;
import io.tailrace.loadgen.block.LedgerBlock;
import io.tailrace.loadgen.contract.LedgerKinds;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.Loss;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.spool.WorkerId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** A worker's ledger at its end: the load's counts and, per stream, rows recorded and lost. */
record FinalLedger(List<LedgerEntry> entries, Map<String, StreamReport> reports) {
  static final BlockStream STREAM = BlockStream.LEDGER;

  /** Makes the final ledger; all rows must be settled. */
  static FinalLedger of(List<LedgerEntry> counted, RowCounts counts) {
    List<LedgerEntry> entries = new ArrayList<>(counted);
    Map<String, StreamReport> reports = new LinkedHashMap<>();
    for (BlockStream stream : BlockStream.RECORDED) {
      if (!counts.emits(stream)) {
        continue;
      }
      String name = stream.streamName();
      long recorded = counts.recorded(stream);
      entries.add(new LedgerEntry(name, LedgerKinds.RECORDED, "", recorded, 0, 0));
      Map<String, Long> lost = new TreeMap<>();
      for (Map.Entry<String, Loss> loss : counts.lost(stream).entrySet()) {
        Loss rows = loss.getValue();
        lost.put(loss.getKey(), rows.events());
        entries.add(
            new LedgerEntry(
                name,
                LedgerKinds.LOST,
                loss.getKey(),
                rows.events(),
                rows.fromMicros(),
                rows.toMicros()));
      }
      reports.put(name, new StreamReport(recorded, counts.stored(name), Map.copyOf(lost)));
    }
    return new FinalLedger(List.copyOf(entries), reports);
  }

  static EncodedBlock encode(
      List<LedgerEntry> entries, Recorders recorders, WorkerId id, long seq) {
    entries.forEach(recorders.ledger()::add);
    return LedgerBlock.encode(recorders, id.runId(), id.worker(), seq);
  }
}
