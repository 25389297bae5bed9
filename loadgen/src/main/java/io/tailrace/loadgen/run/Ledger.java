// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.EventCounter;
import io.tailrace.loadgen.kafka.ProducerWorker;
import io.tailrace.loadgen.kafka.Received;
import io.tailrace.loadgen.kafka.Tally;
import io.tailrace.loadgen.record.LedgerEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * What the load has counted, as the rows of the ledger the audit compares with the stored messages.
 */
final class Ledger {
  private Ledger() {}

  static List<LedgerEntry> of(Load load) {
    Received received = load.counted();
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
    // Also without any, so that a checkpoint tells that there were none.
    entries.add(entry("publishes", "unsent", Tally.NONE));
    load.unsent()
        .forEach((reason, tally) -> entries.add(entry("publishes", "unsent", reason, tally)));
    return List.copyOf(entries);
  }

  private static Tally sum(Load load, Function<ProducerWorker, EventCounter> counter) {
    return Tally.sum(load.producers(), counter.andThen(Tally::of));
  }

  private static LedgerEntry entry(String stream, String kind, Tally tally) {
    return entry(stream, kind, "", tally);
  }

  private static LedgerEntry entry(String stream, String kind, String reason, Tally tally) {
    return new LedgerEntry(
        stream, kind, reason, tally.count(), tally.firstMicros(), tally.lastMicros());
  }
}
