// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import io.tailrace.loadgen.record.Loss;
import java.util.Map;
import java.util.TreeMap;

/**
 * Counts of one stream of a worker. {@code recorded = stored + outstanding + lost + rows not yet in
 * a block}.
 *
 * @param stored rows known to be committed
 * @param outstanding rows in unsettled blocks
 * @param settledSeq number of the first unsettled block
 * @param lastMicros latest time of a row in a block, µs since 1970; 0 if there is none
 * @param openMicros earliest time of a row in an unsettled block, µs since 1970; 0 if there is none
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
  public static final StreamProgress NONE = new StreamProgress(0, 0, 0, Map.of(), 0, 0, 0, 0);

  public StreamProgress withRecorded(long rows) {
    return new StreamProgress(
        rows, stored, outstanding, lost, nextSeq, settledSeq, lastMicros, openMicros);
  }

  public StreamProgress withLost(String reason, Loss rows) {
    Map<String, Loss> with = new TreeMap<>(lost);
    with.merge(reason, rows, Loss::plus);
    return new StreamProgress(
        recorded, stored, outstanding, with, nextSeq, settledSeq, lastMicros, openMicros);
  }

  public long lostRows() {
    return lost.values().stream().mapToLong(Loss::events).sum();
  }
}
