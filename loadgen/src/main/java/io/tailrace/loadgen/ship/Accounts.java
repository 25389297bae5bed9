// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockStream;
import io.tailrace.loadgen.block.EncodedBlock;
import io.tailrace.loadgen.record.Loss;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.record.RowLog;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * What became of every row, per stream: stored, or lost for a reason. A row is counted once.
 * Thread-safe; used once per block, never per row.
 */
final class Accounts {
  private final Recorders recorders;
  private final Map<String, Account> streams = new HashMap<>();

  private static final class Account {
    long stored;
    final Map<String, Loss> lost = new TreeMap<>();

    long settled() {
      return stored + lost.values().stream().mapToLong(Loss::events).sum();
    }
  }

  Accounts(Recorders recorders) {
    this.recorders = recorders;
  }

  synchronized void stored(EncodedBlock block) {
    account(block.stream()).stored += block.rows();
  }

  void lost(EncodedBlock block, String reason) {
    lost(block.stream(), reason, new Loss(block.rows(), block.fromMicros(), block.toMicros()));
  }

  synchronized void lost(String stream, String reason, Loss rows) {
    account(stream).lost.merge(reason, rows, Loss::plus);
  }

  private Account account(String stream) {
    return streams.computeIfAbsent(stream, name -> new Account());
  }

  /** Rows that the recorders kept and whose fate is not known yet. */
  long unshipped() {
    // First what is settled, then what was kept: a row recorded meanwhile may be counted, never
    // less than none.
    long unshipped = 0;
    for (BlockStream stream : BlockStream.RECORDED) {
      unshipped -= settled(stream);
    }
    for (BlockStream stream : BlockStream.RECORDED) {
      for (RowLog log : stream.logs(recorders)) {
        unshipped += log.published();
      }
    }
    return unshipped;
  }

  private synchronized long settled(BlockStream stream) {
    return account(stream.streamName()).settled();
  }

  /** Rows handed to the recorders of a stream, kept or not. Exact once all writers have stopped. */
  long recorded(BlockStream stream) {
    long recorded = 0;
    for (RowLog log : stream.logs(recorders)) {
      Loss loss = log.loss();
      recorded += log.published() + (loss == null ? 0 : loss.events());
    }
    return recorded;
  }

  /** Lost rows of a stream by reason, those that found no room in the recorders included. */
  Map<String, Loss> lost(BlockStream stream) {
    Map<String, Loss> lost;
    synchronized (this) {
      lost = new TreeMap<>(account(stream.streamName()).lost);
    }
    for (RowLog log : stream.logs(recorders)) {
      Loss loss = log.loss();
      if (loss != null) {
        lost.merge(Recorders.LOST_RECORDER_FULL, loss, Loss::plus);
      }
    }
    return lost;
  }

  /** Rows of a stream that are known to be committed. */
  synchronized long stored(BlockStream stream) {
    return account(stream.streamName()).stored;
  }
}
