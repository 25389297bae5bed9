// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.EventCount;
import io.tailrace.loadgen.kafka.EventCounter;
import io.tailrace.loadgen.kafka.ProducerWorker;
import io.tailrace.loadgen.kafka.ReceivedCounts;
import io.tailrace.loadgen.record.LedgerEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** A worker's own counts, as rows of the ledger that the audit compares with the stored rows. */
final class LoadLedger {
  private LoadLedger() {}

  static List<LedgerEntry> of(Load load) {
    ReceivedCounts received = load.counted();
    List<LedgerEntry> entries = new ArrayList<>();
    entries.addAll(
        List.of(
            entry("publishes", "sent", sum(load, ProducerWorker::sent)),
            entry("publishes", "acked", sum(load, ProducerWorker::acked)),
            entry("publishes", "failed", sum(load, ProducerWorker::failed)),
            entry("publishes", "aborted", load.aborted()),
            entry("deliveries", "received", received.messages()),
            entry("deliveries", "redelivered", received.redelivered()),
            entry("deliveries", "foreign", received.foreign()),
            entry("deliveries", "corrupt", received.corrupt())));
    // Present even when it is zero, so that a checkpoint states that there were none.
    entries.add(entry("publishes", "unsent", EventCount.NONE));
    load.unsent()
        .forEach((reason, tally) -> entries.add(entry("publishes", "unsent", reason, tally)));
    return List.copyOf(entries);
  }

  private static EventCount sum(Load load, Function<ProducerWorker, EventCounter> counter) {
    return EventCount.sum(load.producers(), counter.andThen(EventCount::of));
  }

  private static LedgerEntry entry(String stream, String kind, EventCount tally) {
    return entry(stream, kind, "", tally);
  }

  private static LedgerEntry entry(String stream, String kind, String reason, EventCount tally) {
    return new LedgerEntry(
        stream, kind, reason, tally.count(), tally.firstMicros(), tally.lastMicros());
  }
}
