// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

import com.fasterxml.jackson.annotation.JsonAlias;
import io.tailrace.loadgen.record.LedgerEntry;
import java.util.List;
import java.util.Map;

/**
 * All counts of a worker at one moment.
 *
 * @param timeMicros the moment, µs since 1970
 * @param closed whether recording has ended, so that {@code recorded} is final
 * @param streams progress by stream, including the ledger
 * @param unreported losses found after the ledger was made, which a further ledger block must
 *     report; older versions wrote them as {@code untold}
 */
public record Checkpoint(
    String runId,
    int worker,
    long timeMicros,
    boolean closed,
    Map<String, StreamProgress> streams,
    List<LedgerEntry> counted,
    @JsonAlias("untold") List<LedgerEntry> unreported) {
  /** Replaces maps and lists that an older version did not write by empty ones. */
  public Checkpoint {
    streams = streams == null ? Map.of() : streams;
    counted = counted == null ? List.of() : counted;
    unreported = unreported == null ? List.of() : unreported;
  }

  WorkerId id() {
    return new WorkerId(runId, worker);
  }
}
