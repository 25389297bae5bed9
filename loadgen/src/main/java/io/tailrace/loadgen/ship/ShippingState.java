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
 * Keeps accounts and spool in step: a block's fate is noted in the spool before the spool forgets
 * the block. Works without a spool too, and with one that fails: then only the accounts are kept.
 * Thread-safe.
 */
final class ShippingState {
  private static final Logger LOG = LoggerFactory.getLogger(ShippingState.class);
  private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final RowCounts accounts;
  private final Spool spool;
  private final WorkerId id;
  private final Supplier<List<LedgerEntry>> counted;
  private final List<LedgerEntry> untold = new ArrayList<>();
  private volatile String failure = "";
  private boolean closed;
  private boolean ledgerMade;
  private long warnedNanos = System.nanoTime() - WARN_EVERY_NANOS;

  /**
   * @param spool where blocks are kept, or null for memory alone
   * @param counted what the load itself has counted so far
   */
  ShippingState(RowCounts accounts, WorkerId id, Spool spool, Supplier<List<LedgerEntry>> counted) {
    this.accounts = accounts;
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
    spool.keepAside(ref);
  }

  void accepted(BlockHead block) {
    accounts.accepted(block);
  }

  /** A block is committed; the spool forgets it. */
  void stored(PendingBlock parcel) {
    accounts.stored(parcel.head);
    settle(parcel, false);
  }

  /** A block will never be committed; the spool forgets it. */
  void lost(PendingBlock parcel, String reason) {
    accounts.lostOnTheWay(parcel.head, reason);
    tellLater(parcel.head, reason);
    settle(parcel, true);
  }

  /** A block that is in memory alone is given up at the deadline. */
  void abandoned(PendingBlock parcel, String reason) {
    accounts.abandoned(parcel.head, reason);
  }

  /** A block that found no room anywhere. */
  void dropped(BlockHead block, String reason) {
    accounts.lost(block, reason);
    checkpoint();
  }

  void lost(String stream, String reason, Loss rows) {
    accounts.lost(stream, reason, rows);
  }

  /** The ledger is made: from now on a loss must be told by a further one. */
  synchronized void ledgerMade() {
    ledgerMade = true;
    untold.clear();
  }

  /** Takes up losses that no ledger tells yet. */
  synchronized void restoreUntold(List<LedgerEntry> losses) {
    losses.forEach(this::addUntold);
  }

  /** One entry per stream and reason, however many blocks: a checkpoint has little room. */
  private void addUntold(LedgerEntry loss) {
    for (int i = 0; i < untold.size(); i++) {
      if (untold.get(i).countsTheSame(loss)) {
        untold.set(i, untold.get(i).plus(loss));
        return;
      }
    }
    untold.add(loss);
  }

  synchronized List<LedgerEntry> untold() {
    return List.copyOf(untold);
  }

  synchronized void tellLater(BlockHead block, String reason) {
    if (ledgerMade) {
      addUntold(
          new LedgerEntry(
              block.stream(), "lost", reason, block.rows(), block.fromMicros(), block.toMicros()));
    }
  }

  private void settle(PendingBlock parcel, boolean checkpointFirst) {
    if (spool == null) {
      return;
    }
    boolean noted = checkpointFirst && checkpoint();
    String stream = parcel.head.stream();
    try {
      if (!noted) {
        spool.acked(stream, parcel.head.seq() + 1, accounts.stored(stream));
        noted = true;
      }
    } catch (IOException e) {
      noted = checkpoint();
    }
    if (noted && parcel.ref != null) {
      try {
        spool.release(parcel.ref);
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
      streams.put(stream.streamName(), accounts.progress(stream));
    }
    List<LedgerEntry> byTheLoad = counted.get();
    long now = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
    try {
      spool.checkpoint(
          new Checkpoint(id.runId(), id.worker(), now, closed, streams, byTheLoad, untold()));
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
    StreamProgress ledger = accounts.progress(FinalLedger.STREAM);
    return ledger.stored() > 0 && ledger.outstanding() == 0 && untold().isEmpty();
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
      if (noted && accounts.outstanding() == 0 && ledgerStored()) {
        spool.delete();
        return;
      }
    } catch (IOException e) {
      warn("cannot be deleted", e);
    }
    spool.close();
  }
}
