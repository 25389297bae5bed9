// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import io.tailrace.loadgen.record.Loss;
import java.util.Map;
import java.util.TreeMap;

/**
 * How far one stream of a worker is. {@code recorded = stored + outstanding + lost + rows not yet
 * in a block}.
 *
 * @param recorded rows handed to the recorders
 * @param stored rows known to be committed
 * @param outstanding rows in blocks whose fate is not known
 * @param lost rows lost, by reason
 * @param nextSeq number of the next block
 * @param settledSeq number of the first block whose fate is not known
 * @param lastMicros latest time of a row in a block, µs since 1970; 0 where there is none
 * @param openMicros earliest time of a row in a block whose fate is not known, µs since 1970; 0
 *     where there is none
 */
public record StreamProgress(
    long recorded,
    long stored,
    long outstanding,
    Map<String, Loss> lost,
    long nextSeq,
    long settledSeq,
    long lastMicros,
    long openMicros) {
  /** A stream of which nothing is known. */
  public static final StreamProgress NONE = new StreamProgress(0, 0, 0, Map.of(), 0, 0, 0, 0);

  /** The same with rows added to those lost for a reason. */
  public StreamProgress withLost(String reason, Loss rows) {
    Map<String, Loss> with = new TreeMap<>(lost);
    with.merge(reason, rows, Loss::plus);
    return new StreamProgress(
        recorded, stored, outstanding, with, nextSeq, settledSeq, lastMicros, openMicros);
  }

  /** Rows lost for any reason. */
  public long lostRows() {
    return lost.values().stream().mapToLong(Loss::events).sum();
  }
}
