// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.contract.LedgerKinds;
import io.tailrace.loadgen.contract.Streams;
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
            entry(Streams.PUBLISHES, LedgerKinds.SENT, sum(load, ProducerWorker::sent)),
            entry(Streams.PUBLISHES, LedgerKinds.ACKED, sum(load, ProducerWorker::acked)),
            entry(Streams.PUBLISHES, LedgerKinds.FAILED, sum(load, ProducerWorker::failed)),
            entry(Streams.PUBLISHES, LedgerKinds.ABORTED, load.aborted()),
            entry(Streams.PUBLISHES, LedgerKinds.IN_DOUBT, load.inDoubt()),
            entry(Streams.DELIVERIES, LedgerKinds.RECEIVED, received.messages()),
            entry(Streams.DELIVERIES, LedgerKinds.REDELIVERED, received.redelivered()),
            entry(Streams.DELIVERIES, LedgerKinds.FOREIGN, received.foreign()),
            entry(Streams.DELIVERIES, LedgerKinds.OTHER_RUN, received.otherRuns()),
            entry(Streams.DELIVERIES, LedgerKinds.CORRUPT, received.corrupt())));
    entries.add(
        entry(
            Streams.TRANSACTIONS,
            LedgerKinds.BEGUN,
            EventCount.sum(load.producers(), ProducerWorker::begun)));
    entries.add(
        entry(
            Streams.TRANSACTIONS,
            LedgerKinds.ENDED,
            EventCount.sum(load.producers(), ProducerWorker::endedTransactions)));
    // Present even when it is zero, so that a checkpoint states that there were none.
    entries.add(entry(Streams.PUBLISHES, LedgerKinds.UNSENT, EventCount.NONE));
    load.unsent()
        .forEach(
            (reason, count) ->
                entries.add(entry(Streams.PUBLISHES, LedgerKinds.UNSENT, reason, count)));
    return List.copyOf(entries);
  }

  /** What was read again after the run. */
  static List<LedgerEntry> of(Reread.Count reread) {
    return List.of(
        entry(Streams.DELIVERIES, LedgerKinds.REREAD, reread.messages()),
        entry(Streams.DELIVERIES, LedgerKinds.REREAD_CORRUPT, reread.corrupt()));
  }

  private static EventCount sum(Load load, Function<ProducerWorker, EventCounter> counter) {
    return EventCount.sum(load.producers(), counter.andThen(EventCount::of));
  }

  private static LedgerEntry entry(String stream, String kind, long count) {
    return new LedgerEntry(stream, kind, "", count, 0, 0);
  }

  private static LedgerEntry entry(String stream, String kind, EventCount count) {
    return entry(stream, kind, "", count);
  }

  private static LedgerEntry entry(String stream, String kind, String reason, EventCount count) {
    return new LedgerEntry(
        stream, kind, reason, count.count(), count.firstMicros(), count.lastMicros());
  }
}
