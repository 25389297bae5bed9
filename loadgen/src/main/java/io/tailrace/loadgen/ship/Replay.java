// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockStream;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.spool.Checkpoint;
import io.tailrace.loadgen.spool.RecoveredSpool;
import io.tailrace.loadgen.spool.SpoolException;
import io.tailrace.loadgen.spool.SpoolLimits;
import io.tailrace.loadgen.spool.StreamProgress;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Ships the spool of an earlier process: every block that is not known to be stored, in order per
 * stream and with its original number, then a ledger if the run made none. A replay can be stopped
 * at any time and started again: no block is stored twice.
 */
public final class Replay {
  private static final Duration EXPORT_TIMEOUT = Duration.ofSeconds(30);
  private static final long SECOND_NANOS = 1_000_000_000L;
  private static final int IN_FLIGHT = 4;
  private static final long RECORDER_BYTES = 1 << 20;

  /** The ledger must fit even when the spool is full. */
  private static final SpoolLimits NO_LIMITS = new SpoolLimits(Long.MAX_VALUE, 0, 64L << 20);

  private final RecoveredSpool stored;
  private final Recovery recovery;
  private final Recorders recorders = new Recorders(RECORDER_BYTES);
  private final RowCounts counts = new RowCounts(recorders, 0);
  private final ShippingState state;
  private final Shipper shipper;
  private final Duration patience;
  private final PrintStream progress;
  private final long storedBefore;

  private Replay(RecoveredSpool stored, URI endpoint, Duration patience, PrintStream progress) {
    this.stored = stored;
    this.patience = patience;
    this.progress = progress;
    recovery = Recovery.of(stored);
    recovery.streams().forEach(counts::restore);
    state = new ShippingState(counts, stored.id(), stored.spool(), recovery::counted);
    PipelineConfig config =
        new PipelineConfig(
            endpoint, stored.id(), IN_FLIGHT, 0, LiveCounters.NONE, OtlpTls.of(System.getenv()));
    OtlpBlockExporter exporter =
        new OtlpBlockExporter(config, EventPipeline.resource(config), EXPORT_TIMEOUT);
    shipper = new Shipper(exporter, IN_FLIGHT, state);
    storedBefore = storedRows();
  }

  /**
   * Ships a spool, which is deleted when every block is settled; gives up when the collector
   * neither stores nor refuses a block for as long as {@code patience}.
   */
  public static ReplayReport run(Path folder, URI endpoint, Duration patience, PrintStream progress)
      throws SpoolException, InterruptedException {
    return new Replay(RecoveredSpool.open(folder, NO_LIMITS), endpoint, patience, progress).run();
  }

  private ReplayReport run() throws InterruptedException {
    try {
      boolean ledgerMade = restoreLedger();
      state.close();
      offer(false);
      if (await()) {
        offer(true);
        if (!ledgerMade) {
          // Reuses the number of a damaged ledger block, because that block may be stored.
          long seq = counts.progress(FinalLedger.STREAM).settledSeq();
          offerLedger(FinalLedger.of(recovery.counted(), counts).entries(), seq);
        } else if (!state.unreported().isEmpty()) {
          offerLedger(state.unreported(), counts.progress(FinalLedger.STREAM).nextSeq());
        }
        await();
      }
    } finally {
      shipper.stop();
      state.end();
    }
    return report();
  }

  /** Whether the run has made its ledger; losses found since then need a further ledger block. */
  private boolean restoreLedger() {
    String ledger = FinalLedger.STREAM.streamName();
    StreamProgress now = recovery.streams().get(ledger);
    if (now.stored() == 0 && now.outstanding() == 0) {
      return false;
    }
    state.ledgerMade();
    long seqAtCheckpoint =
        stored
            .checkpoint()
            .map(c -> c.streams().getOrDefault(ledger, StreamProgress.NONE).nextSeq())
            .orElse(0L);
    if (now.nextSeq() == seqAtCheckpoint) {
      state.restoreUnreported(stored.checkpoint().map(Checkpoint::unreported).orElse(List.of()));
    }
    state.restoreUnreported(recovery.found());
    return true;
  }

  private void offer(boolean ledger) {
    stored.blocks().stream()
        .filter(ref -> ref.head().stream().equals(FinalLedger.STREAM.streamName()) == ledger)
        .forEach(shipper::offer);
  }

  private void offerLedger(List<LedgerEntry> entries, long seq) {
    shipper.offerLedger(FinalLedger.encode(entries, recorders, stored.id(), seq));
  }

  /** Waits as long as the collector stores or refuses blocks; returns whether no block remains. */
  private boolean await() throws InterruptedException {
    long last = counts.outstanding();
    long since = System.nanoTime();
    while (!shipper.awaitEmpty(System.nanoTime() + SECOND_NANOS)) {
      long now = counts.outstanding();
      if (now != last) {
        last = now;
        since = System.nanoTime();
      }
      progress.printf(
          "%s: %d rows stored, %d to go%n", stored.id().runId(), storedRows() - storedBefore, now);
      if (System.nanoTime() - since > patience.toNanos()) {
        return false;
      }
    }
    return true;
  }

  private long storedRows() {
    return BlockStream.RECORDED.stream()
        .mapToLong(stream -> counts.stored(stream.streamName()))
        .sum();
  }

  private ReplayReport report() {
    Map<String, Long> lost = new TreeMap<>();
    for (BlockStream stream : BlockStream.RECORDED) {
      counts.lost(stream).forEach((reason, loss) -> lost.merge(reason, loss.events(), Long::sum));
    }
    return new ReplayReport(
        stored.id().runId(),
        storedRows() - storedBefore,
        counts.outstanding(),
        lost,
        new ReplayReport.Damage(stored.unreadableBytes(), stored.spool().damagedFolder()),
        state.ledgerStored());
  }
}
