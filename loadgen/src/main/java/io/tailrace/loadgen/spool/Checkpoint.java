// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.tailrace.loadgen.record.LedgerEntry;
import java.util.List;
import java.util.Map;

/**
 * Everything a worker has counted, at one moment.
 *
 * @param runId run
 * @param worker worker
 * @param timeMicros the moment, µs since 1970
 * @param closed whether recording has ended, so that {@code recorded} is final
 * @param streams progress by stream, the ledger's included
 * @param counted what the load counted by itself
 * @param unreported losses found after the ledger was written: a further ledger block must tell
 *     them
 */
public record Checkpoint(
    String runId,
    int worker,
    long timeMicros,
    boolean closed,
    Map<String, StreamProgress> streams,
    List<LedgerEntry> counted,
    @JsonProperty("untold") List<LedgerEntry> unreported) {
  /** Every list and map is there, also in a checkpoint written by a version that lacked it. */
  public Checkpoint {
    streams = streams == null ? Map.of() : streams;
    counted = counted == null ? List.of() : counted;
    unreported = unreported == null ? List.of() : unreported;
  }

  WorkerId id() {
    return new WorkerId(runId, worker);
  }
}
