// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockHead;
import io.tailrace.loadgen.block.BlockStream;
import io.tailrace.loadgen.block.EncodedBlock;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.Loss;
import io.tailrace.loadgen.spool.BlockRef;
import io.tailrace.loadgen.spool.Checkpoint;
import io.tailrace.loadgen.spool.Spool;
import io.tailrace.loadgen.spool.StreamProgress;
import io.tailrace.loadgen.spool.WorkerId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps counts and spool in step: a block's fate is noted in the spool before the spool forgets the
 * block. Works without a spool too, and with one that fails: then only the counts are kept.
 * Thread-safe.
 */
final class ShippingState {
  private static final Logger LOG = LoggerFactory.getLogger(ShippingState.class);
  private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RowCounts counts;
  private final Spool spool;
  private final WorkerId id;
  private final Supplier<List<LedgerEntry>> counted;
  private final List<LedgerEntry> unreported = new ArrayList<>();
  private volatile String failure = "";
  private boolean closed;
  private boolean ledgerMade;
  private long warnedNanos = System.nanoTime() - WARN_EVERY_NANOS;

  /**
   * @param spool where blocks are kept, or null for memory alone
   * @param counted what the load itself has counted so far
   */
  ShippingState(RowCounts counts, WorkerId id, Spool spool, Supplier<List<LedgerEntry>> counted) {
    this.counts = counts;
    this.id = id;
    this.spool = spool;
    this.counted = counted;
  }

  boolean hasSpool() {
    return spool != null;
  }

  /** Writes a block to the spool; null where there is none, or it does not take it. */
  BlockRef keep(EncodedBlock block) {
    if (spool == null) {
      return null;
    }
    try {
      return spool.append(block);
    } catch (IOException e) {
      failure = spool.folder() + " takes no blocks: " + e.getMessage();
      return null;
    }
  }

  /** Why {@link #keep} failed last. */
  String failure() {
    return failure;
  }

  /** Reads a block back from the spool. */
  byte[] read(BlockRef ref) throws IOException {
    return spool.read(ref);
  }

  /** A block in the spool is damaged: its segment is kept for a look. */
  void damaged(BlockRef ref) {
    spool.keepDamaged(ref);
  }

  void accepted(BlockHead block) {
    counts.accepted(block);
  }

  /** A block is committed; the spool forgets it. */
  void stored(PendingBlock pending) {
    counts.stored(pending.head);
    settle(pending, false);
  }

  /** A block will never be committed; the spool forgets it. */
  void lost(PendingBlock pending, String reason) {
    counts.lostInFlight(pending.head, reason);
    reportLater(pending.head, reason);
    settle(pending, true);
  }

  /** A block that is in memory alone is given up at the deadline. */
  void abandoned(PendingBlock pending, String reason) {
    counts.abandoned(pending.head, reason);
  }

  /** A block that found no room anywhere. */
  void dropped(BlockHead block, String reason) {
    counts.lost(block, reason);
    checkpoint();
  }

  void lost(String stream, String reason, Loss rows) {
    counts.lost(stream, reason, rows);
  }

  /** The ledger is made: from now on a loss must be told by a further one. */
  synchronized void ledgerMade() {
    ledgerMade = true;
    unreported.clear();
  }

  /** Takes up losses that no ledger tells yet. */
  synchronized void restoreUnreported(List<LedgerEntry> losses) {
    losses.forEach(this::addUnreported);
  }

  /** One entry per stream and reason, however many blocks: a checkpoint has little room. */
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
              block.stream(), "lost", reason, block.rows(), block.fromMicros(), block.toMicros()));
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
      try {
        spool.release(pending.ref);
      } catch (IOException e) {
        warn("cannot give back the place of stored blocks", e);
      }
    }
  }

  /** All recording has ended: what is recorded is final. */
  synchronized void close() {
    closed = true;
    checkpoint();
  }

  /** Writes down all counts. Returns whether they are on disk. */
  synchronized boolean checkpoint() {
    if (spool == null) {
      return false;
    }
    Map<String, StreamProgress> streams = new LinkedHashMap<>();
    for (BlockStream stream : BlockStream.values()) {
      streams.put(stream.streamName(), counts.progress(stream));
    }
    List<LedgerEntry> byTheLoad = counted.get();
    long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    try {
      spool.checkpoint(
          new Checkpoint(id.runId(), id.worker(), now, closed, streams, byTheLoad, unreported()));
      return true;
    } catch (IOException e) {
      warn("takes no checkpoint", e);
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

  /** Whether the ledger is stored and tells everything. */
  boolean ledgerStored() {
    StreamProgress ledger = counts.progress(FinalLedger.STREAM);
    return ledger.stored() > 0 && ledger.outstanding() == 0 && unreported().isEmpty();
  }

  /**
   * Ends the use of the spool: deletes it when all is settled and the ledger stored, leaves it for
   * a replay otherwise.
   */
  void end() {
    if (spool == null) {
      return;
    }
    boolean noted = checkpoint();
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
