// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockHead;
import io.tailrace.loadgen.block.BlockStream;
import io.tailrace.loadgen.block.EncodedBlock;
import io.tailrace.loadgen.contract.LedgerKinds;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.Loss;
import io.tailrace.loadgen.spool.BlockRef;
import io.tailrace.loadgen.spool.Checkpoint;
import io.tailrace.loadgen.spool.Spool;
import io.tailrace.loadgen.spool.StreamProgress;
import io.tailrace.loadgen.spool.WorkerId;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What is known about the blocks of a worker, in memory ({@link RowCounts}) and on disk ({@link
 * Spool}). The spool records that a block is stored or lost before it deletes the block. Without a
 * spool, or when the spool fails, only the counts in memory are kept. Thread-safe.
 */
final class ShippingState {
  private static final Logger LOG = LoggerFactory.getLogger(ShippingState.class);
  private static final Duration FLUSH_PATIENCE = Duration.ofSeconds(2);
  private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RowCounts counts;
  private final Spool spool;
  private final WorkerId id;
  private final Supplier<List<LedgerEntry>> counted;
  private final SpoolFlusher flusher;
  private final List<LedgerEntry> unreported = new ArrayList<>();
  private volatile String failure = "";
  private boolean closed;
  private boolean ledgerMade;
  private long warnedNanos = System.nanoTime() - WARN_EVERY_NANOS;

  ShippingState(RowCounts counts, WorkerId id, Spool spool, Supplier<List<LedgerEntry>> counted) {
    this.counts = counts;
    this.id = id;
    this.spool = spool;
    this.counted = counted;
    flusher = spool != null && spool.durable() ? new SpoolFlusher(spool) : null;
  }

  boolean hasSpool() {
    return spool != null;
  }

  /** Writes a block to the spool. Returns null without a spool or when the write fails. */
  BlockRef append(EncodedBlock block) {
    if (spool == null) {
      return null;
    }
    try {
      return spool.append(block);
    } catch (IOException e) {
      failure = spool.folder() + " accepts no blocks: " + e.getMessage();
      return null;
    }
  }

  /** Runs the task when all blocks so far are as safe as the spool keeps them. Any thread. */
  void whenSafe(Runnable task) {
    if (flusher == null) {
      task.run();
    } else {
      flusher.whenFlushed(task);
    }
  }

  /** Returns when each task of {@link #whenSafe} has run, at the latest after two seconds. */
  void settleFlushes() {
    if (flusher != null) {
      flusher.settle(FLUSH_PATIENCE);
    }
  }

  /** Why {@link #append} failed last. */
  String failure() {
    return failure;
  }

  byte[] read(BlockRef ref) throws IOException {
    return spool.read(ref);
  }

  /** A block in the spool is damaged: the spool keeps its segment for inspection. */
  void damaged(BlockRef ref) {
    spool.keepDamaged(ref);
  }

  void accepted(BlockHead block) {
    counts.accepted(block);
  }

  /** A block is committed; the spool deletes it. */
  void stored(PendingBlock pending) {
    counts.stored(pending.head);
    settle(pending, false);
  }

  /** A block will never be committed; the spool deletes it. */
  void lost(PendingBlock pending, String reason) {
    counts.lostInFlight(pending.head, reason);
    reportLater(pending.head, reason);
    settle(pending, true);
  }

  /** The pipeline gives up at the deadline on a block that is only in memory. */
  void abandoned(PendingBlock pending, String reason) {
    counts.abandoned(pending.head, reason);
  }

  /** A block is dropped because neither memory nor spool has room. */
  void dropped(BlockHead block, String reason) {
    counts.lost(block, reason);
    checkpoint();
  }

  void lost(String stream, String reason, Loss rows) {
    counts.lost(stream, reason, rows);
  }

  /** The ledger is made: from now on, losses must be reported by a further ledger block. */
  synchronized void ledgerMade() {
    ledgerMade = true;
    unreported.clear();
  }

  /** Adds losses found earlier that no ledger reports yet. */
  synchronized void restoreUnreported(List<LedgerEntry> losses) {
    losses.forEach(this::addUnreported);
  }

  /** Keeps one entry per stream and reason, because a checkpoint has little room. */
  private void addUnreported(LedgerEntry loss) {
    for (int i = 0; i < unreported.size(); i++) {
      if (unreported.get(i).countsTheSame(loss)) {
        unreported.set(i, unreported.get(i).plus(loss));
        return;
      }
    }
    unreported.add(loss);
  }

  synchronized List<LedgerEntry> unreported() {
    return List.copyOf(unreported);
  }

  synchronized void reportLater(BlockHead block, String reason) {
    if (ledgerMade) {
      addUnreported(
          new LedgerEntry(
              block.stream(),
              LedgerKinds.LOST,
              reason,
              block.rows(),
              block.fromMicros(),
              block.toMicros()));
    }
  }

  private void settle(PendingBlock pending, boolean checkpointFirst) {
    if (spool == null) {
      return;
    }
    boolean noted = checkpointFirst && checkpoint();
    String stream = pending.head.stream();
    try {
      if (!noted) {
        spool.acked(stream, pending.head.seq() + 1, counts.stored(stream));
        noted = true;
      }
    } catch (IOException e) {
      noted = checkpoint();
    }
    if (noted && pending.ref != null) {
      if (flusher == null) {
        release(pending.ref);
      } else {
        flusher.withNextFlush(() -> release(pending.ref));
      }
    }
  }

  private void release(BlockRef ref) {
    try {
      spool.release(ref);
    } catch (IOException e) {
      warn("cannot free the space of stored blocks", e);
    }
  }

  /** Recording has ended: the recorded counts are final. */
  synchronized void close() {
    closed = true;
    checkpoint();
  }

  /** Writes all counts to the spool. Returns whether they are on disk. */
  synchronized boolean checkpoint() {
    if (spool == null) {
      return false;
    }
    Map<String, StreamProgress> streams = new LinkedHashMap<>();
    for (BlockStream stream : BlockStream.values()) {
      streams.put(stream.streamName(), counts.progress(stream));
    }
    List<LedgerEntry> loadCounts = counted.get();
    long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    try {
      spool.checkpoint(
          new Checkpoint(id.runId(), id.worker(), now, closed, streams, loadCounts, unreported()));
      return true;
    } catch (IOException e) {
      warn("accepts no checkpoint", e);
      return false;
    }
  }

  private synchronized void warn(String what, IOException cause) {
    long now = System.nanoTime();
    if (now - warnedNanos >= WARN_EVERY_NANOS) {
      warnedNanos = now;
      LOG.warn("the spool in {} {}: {}", spool.folder(), what, cause.getMessage());
    }
  }

  /** Whether the ledger is stored and reports every loss. */
  boolean ledgerStored() {
    StreamProgress ledger = counts.progress(FinalLedger.STREAM);
    return ledger.stored() > 0 && ledger.outstanding() == 0 && unreported().isEmpty();
  }

  /** Deletes the spool if every block is settled and the ledger stored; else a replay reads it. */
  void end() {
    if (spool == null) {
      return;
    }
    boolean noted = checkpoint();
    settleFlushes();
    if (flusher != null) {
      flusher.close();
    }
    try {
      if (noted && counts.outstanding() == 0 && ledgerStored()) {
        spool.delete();
        return;
      }
    } catch (IOException e) {
      warn("cannot be deleted", e);
    }
    spool.close();
  }
}
