// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.resources.Resource;
import io.tailrace.loadgen.block.EncoderThread;
import io.tailrace.loadgen.block.LatencyHistogram;
import io.tailrace.loadgen.block.LiveHistograms;
import io.tailrace.loadgen.block.StageLatency;
import io.tailrace.loadgen.contract.Stage;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.spool.WorkerId;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Encodes all recorded rows into blocks, ships each block until the collector reports it committed,
 * and counts the rows that are lost. When {@link #finish} returns, {@code recorded = stored + lost
 * + still in the spool} holds for every stream.
 */
public final class EventPipeline {
  private static final Duration EXPORT_TIMEOUT = Duration.ofSeconds(30);

  private final PipelineConfig config;
  private final Recorders recorders;
  private final Duration exportTimeout;
  private final Resource resource;
  private final WorkerId id;
  private final RowCounts counts;
  private final ShippingState state;
  private final LiveHistograms histograms = new LiveHistograms();
  private final Shipper shipper;
  private final EncoderThread encoder;
  private final Optional<LiveMetrics> metrics;
  private final Optional<ProgressLedger> progress;

  private EventPipeline(
      PipelineConfig config,
      Recorders recorders,
      Duration exportTimeout,
      SpoolConfig spool,
      OptionalLong brokerSince) {
    this.config = config;
    this.recorders = recorders;
    this.exportTimeout = exportTimeout;
    resource = resource(config);
    id = config.id();
    long firstSeq = firstSeq();
    counts = new RowCounts(recorders, firstSeq);
    state =
        spool == null
            ? new ShippingState(counts, id, null, List::of)
            : new ShippingState(counts, id, spool.spool(), spool.counted());
    shipper = newShipper();
    encoder =
        new EncoderThread(
            recorders,
            id.runId(),
            id.worker(),
            firstSeq,
            histograms,
            new BoundedSink(shipper, state, config.maxUnshippedBytes()));
    // A broker's live metrics would be taken for those of a worker.
    metrics =
        brokerSince.isPresent()
            ? Optional.empty()
            : Optional.of(new LiveMetrics(config, resource, histograms, counts::unshipped));
    progress =
        brokerSince.isPresent()
            ? Optional.of(new ProgressLedger(counts, recorders, id, brokerSince.getAsLong()))
            : Optional.empty();
  }

  /**
   * Starts to read the recorders. The collector may start later: blocks wait for it.
   *
   * @param recorders recorders of the worker; recorders may be added while the pipeline runs
   * @param spool blocks are written to it before they are sent, and those that are not stored at
   *     the end stay in it for a {@link Replay}; null to keep blocks in memory only
   */
  public static EventPipeline start(PipelineConfig config, Recorders recorders, SpoolConfig spool) {
    return start(config, recorders, EXPORT_TIMEOUT, spool);
  }

  /**
   * Starts to read the recorders of a broker, without a spool.
   *
   * @param sinceMicros requests since then would have been recorded, µs since 1970
   */
  public static EventPipeline startOfBroker(
      PipelineConfig config, Recorders recorders, long sinceMicros) {
    OptionalLong since = OptionalLong.of(sinceMicros);
    return new EventPipeline(config, recorders, EXPORT_TIMEOUT, null, since).started();
  }

  static EventPipeline start(
      PipelineConfig config, Recorders recorders, Duration exportTimeout, SpoolConfig spool) {
    return new EventPipeline(config, recorders, exportTimeout, spool, OptionalLong.empty())
        .started();
  }

  private EventPipeline started() {
    state.checkpoint();
    encoder.start();
    metrics.ifPresent(LiveMetrics::start);
    return this;
  }

  /**
   * Block numbers start at the current time in µs. ClickHouse deduplicates blocks by number and
   * remembers numbers longer than runs are kept, so a reused run id or a restarted worker must not
   * repeat numbers.
   */
  private static long firstSeq() {
    return ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());
  }

  static Resource resource(PipelineConfig config) {
    return Resource.builder()
        .put(AttributeKey.stringKey("service.name"), "tailrace-loadgen")
        .put(
            AttributeKey.stringKey("service.instance.id"),
            config.id().runId() + "/" + config.id().worker())
        .put(OtlpBlockExporter.RUN_ID, config.id().runId())
        .put(OtlpBlockExporter.WORKER_ID, (long) config.id().worker())
        .build();
  }

  private Shipper newShipper() {
    return new Shipper(
        new OtlpBlockExporter(config, resource, exportTimeout), config.maxInFlight(), state);
  }

  /** Ships a broker's counts every few seconds, if called more often. One thread. */
  public void shipProgress(long nowMicros) {
    progress.ifPresent(ledger -> ledger.tick(shipper, nowMicros));
  }

  /** Recorded rows that are neither known to be committed nor counted as lost. Any thread. */
  public long unshipped() {
    return counts.unshipped();
  }

  /** Rows counted as lost so far, for any reason. Any thread. */
  public long lost() {
    return counts.lost();
  }

  /** Whether the encoder thread has failed: recorded events are no longer encoded. Any thread. */
  public boolean died() {
    return encoder.died();
  }

  long heldBytes() {
    return shipper.heldBytes();
  }

  long outstanding() {
    return counts.outstanding();
  }

  /** Latency of a stage since {@link #resetLatency}, about a second old. Any thread. */
  public StageLatency latency(String stage) {
    return histograms.latency(Stage.of(stage));
  }

  /** A copy of the latencies of a stage since the start, about a second old. Any thread. */
  public LatencyHistogram latencies(Stage stage) {
    return histograms.total(stage);
  }

  /** Restarts {@link #latency} from zero, as at the beginning of the measure phase. Any thread. */
  public void resetLatency() {
    histograms.reset();
  }

  /**
   * Ships all remaining rows, then the ledger as the last block of the run, and stops all threads.
   * All writers must have stopped before. The ledger contains the given entries and, for each other
   * stream, one {@code recorded} entry and one {@code lost} entry per reason.
   *
   * <p>Rows without an answer at the deadline stay in the spool. Without a spool, or if it had no
   * room, they are counted as lost with reason {@code unshipped_at_deadline}, although the
   * collector may have stored them. Up to 5 s, and at most a quarter, of the time is reserved for
   * the ledger.
   */
  public ShipReport finish(List<LedgerEntry> counted, Duration deadline) {
    return finish(counted, 0, deadline);
  }

  /** Ships what is left of a broker's rows and counts. Its last row was written before the end. */
  public ShipReport finishOfBroker(long endMicros, Duration deadline) {
    return finish(List.of(), endMicros, deadline);
  }

  private ShipReport finish(List<LedgerEntry> counted, long endMicros, Duration deadline) {
    long end = System.nanoTime() + deadline.toNanos();
    long reserve = Math.min(Duration.ofSeconds(5).toNanos(), deadline.toNanos() / 4);
    Uninterrupted.await(encoder::finish);
    awaitEmpty(shipper, end - reserve);
    long abandoned = shipper.stop();
    long spooled = counts.outstanding();
    state.close();
    FinalLedger ledger = FinalLedger.of(counted, counts);
    boolean committed = ship(ledger, endMicros, end);
    metrics.ifPresent(live -> live.close(end));
    state.end();
    return new ShipReport(ledger.reports(), abandoned + spooled, spooled, committed);
  }

  /** An interrupt ends the wait as the deadline does. */
  private static boolean awaitEmpty(Shipper shipper, long deadlineNanos) {
    try {
      return shipper.awaitEmpty(deadlineNanos);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private boolean ship(FinalLedger ledger, long endMicros, long deadlineNanos) {
    // A separate shipper has its own connections: those used so far may hang.
    Shipper last = newShipper();
    if (progress.isPresent()) {
      progress.get().last(last, endMicros);
    } else {
      long seq = counts.progress(FinalLedger.STREAM).nextSeq();
      last.offerLedger(FinalLedger.encode(ledger.entries(), recorders, id, seq));
    }
    awaitEmpty(last, deadlineNanos);
    last.stop();
    return counts.stored(FinalLedger.STREAM.streamName()) > 0;
  }
}
