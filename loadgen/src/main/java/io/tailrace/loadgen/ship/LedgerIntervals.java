// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockStream;
import io.tailrace.loadgen.contract.LedgerKinds;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.Loss;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Divides one stream's counts over ledger blocks that are shipped while rows are recorded, so that
 * a killed process has reported all but its last seconds. A {@code recorded} entry has the rows
 * counted since the entry before. Its times are an interval in which every row is settled: stored,
 * or counted as lost. The intervals of a process follow each other, so a gap between them is a time
 * from which rows may be missing in every count. For one thread.
 */
final class LedgerIntervals {
  private static final long EVERY_MICROS = 5_000_000;
  private static final long UNKNOWN = -1;

  /** What has been reported at one time. */
  private record Reported(long rows, long settledRows, long micros, Map<String, Loss> lost) {}

  private final RowCounts counts;
  private final BlockStream stream;
  private Reported confirmed;
  private Reported made;
  private long madeMicros;

  private long settledMicros;
  private long settledRows;

  // The rows counted at markMicros, and the number after their last block once it is known.
  private long markMicros;
  private long markRows;
  private long markSeq = UNKNOWN;

  /**
   * @param fromMicros rows since then would have been recorded
   */
  LedgerIntervals(RowCounts counts, BlockStream stream, long fromMicros) {
    this.counts = counts;
    this.stream = stream;
    confirmed = new Reported(0, 0, fromMicros, Map.of());
    settledMicros = fromMicros;
    markMicros = fromMicros;
    madeMicros = fromMicros;
  }

  /** Looks what is settled by now, and returns whether entries should be shipped. */
  boolean ready(long nowMicros) {
    if (markSeq == UNKNOWN && counts.encoded(stream) >= markRows) {
      markSeq = counts.progress(stream).nextSeq();
    }
    if (markSeq != UNKNOWN && counts.progress(stream).settledSeq() >= markSeq) {
      settledMicros = markMicros;
      settledRows = markRows;
      // The time first: rows recorded in between then belong to a later interval too.
      markMicros = nowMicros;
      markRows = counts.recorded(stream);
      markSeq = UNKNOWN;
    }
    long recorded = counts.recorded(stream);
    boolean allSettled = settledRows == recorded && confirmed.settledRows < recorded;
    return allSettled || (recorded > confirmed.rows && nowMicros - madeMicros >= EVERY_MICROS);
  }

  /** Entries of what was counted since the confirmed ones. */
  List<LedgerEntry> entries(long nowMicros) {
    madeMicros = nowMicros;
    return entries(new Reported(recorded(), settledRows, settledMicros, counts.lost(stream)));
  }

  /** The last entries. No row is written after {@code endMicros}, and all are settled. */
  List<LedgerEntry> last(long endMicros) {
    return entries(new Reported(recorded(), recorded(), endMicros, counts.lost(stream)));
  }

  private long recorded() {
    return counts.recorded(stream);
  }

  private List<LedgerEntry> entries(Reported next) {
    made = next;
    String name = stream.streamName();
    List<LedgerEntry> entries = new ArrayList<>();
    long rows = next.rows - confirmed.rows;
    entries.add(
        new LedgerEntry(name, LedgerKinds.RECORDED, "", rows, confirmed.micros, next.micros));
    next.lost.forEach(
        (reason, loss) -> {
          Loss before = confirmed.lost.get(reason);
          long events = loss.events() - (before == null ? 0 : before.events());
          if (events > 0) {
            entries.add(
                new LedgerEntry(
                    name, LedgerKinds.LOST, reason, events, loss.fromMicros(), loss.toMicros()));
          }
        });
    return entries;
  }

  /** The entries made last are stored; until then the next ones contain them again. */
  void confirm() {
    confirmed = made;
  }
}
