// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.record.RowLog;
import io.tailrace.loadgen.record.RowSegment;
import java.util.ArrayList;
import java.util.List;

/** Encodes the ledger, the last block of a run. */
public final class LedgerBlock {
  private LedgerBlock() {}

  public static EncodedBlock encode(Recorders recorders, String runId, int worker, long seq) {
    List<RowSegment> segments = new ArrayList<>();
    List<RowLog> logs = BlockStream.LEDGER.logs(recorders);
    logs.forEach(log -> log.collect(BlockEncoder.MAX_ROWS, segments));
    try (BlockEncoder encoder = new BlockEncoder(runId, worker)) {
      return encoder.encode(BlockStream.LEDGER, seq, segments);
    } finally {
      logs.forEach(RowLog::release);
    }
  }
}
