// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.ConsumerWorker;
import io.tailrace.loadgen.kafka.EventCounter;
import io.tailrace.loadgen.kafka.ProducerWorker;
import io.tailrace.loadgen.record.LedgerEntry;
import java.util.List;
import java.util.function.Function;

/**
 * What the load has counted, as the rows of the ledger the audit compares with the stored messages.
 */
final class Ledger {
  private Ledger() {}

  static List<LedgerEntry> of(Load load) {
    return List.of(
        entry("publishes", "sent", load.producers(), ProducerWorker::sent),
        entry("publishes", "acked", load.producers(), ProducerWorker::acked),
        entry("publishes", "failed", load.producers(), ProducerWorker::failed),
        new LedgerEntry("publishes", "unsent", "", load.unsent(), 0, 0),
        entry("deliveries", "received", load.consumers(), ConsumerWorker::received),
        entry("deliveries", "corrupt", load.consumers(), ConsumerWorker::corrupt));
  }

  private static <W> LedgerEntry entry(
      String stream, String kind, List<W> workers, Function<W, EventCounter> counterOf) {
    List<EventCounter> counters =
        workers.stream().map(counterOf).filter(counter -> counter.count() > 0).toList();
    return new LedgerEntry(
        stream,
        kind,
        "",
        counters.stream().mapToLong(EventCounter::count).sum(),
        counters.stream().mapToLong(EventCounter::firstMicros).min().orElse(0),
        counters.stream().mapToLong(EventCounter::lastMicros).max().orElse(0));
  }
}
