// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockHead;
import io.tailrace.loadgen.block.BlockStream;
import io.tailrace.loadgen.contract.LossReasons;
import io.tailrace.loadgen.record.Loss;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.record.RowLog;
import io.tailrace.loadgen.spool.StreamProgress;
import java.util.HashMap;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * Counts, per stream, which rows are stored, lost (by reason) or still on the way. Each row is
 * counted once. Thread-safe; called once per block, never per row.
 */
final class RowCounts {
  private final Recorders recorders;
  private final long firstSeq;
  private final Map<String, StreamCounts> streams = new HashMap<>();

  private static final class StreamCounts {
    long recordedBefore;
    long stored;
    long outstanding;
    long nextSeq;
    long settledSeq;
    long lastMicros;
    final Map<String, Loss> lost = new TreeMap<>();

    /** Time of the earliest row of each unsettled block, by block number. */
    final NavigableMap<Long, Long> open = new TreeMap<>();

    long openMicros() {
      return open.values().stream().mapToLong(Long::longValue).min().orElse(0);
    }

    void settle(BlockHead block) {
      outstanding -= block.rows();
      settledSeq = block.seq() + 1;
      open.headMap(settledSeq).clear();
    }

    long settled() {
      return stored + lost.values().stream().mapToLong(Loss::events).sum();
    }
  }

  RowCounts(Recorders recorders, long firstSeq) {
    this.recorders = recorders;
    this.firstSeq = firstSeq;
  }

  /** Continues from the counts of an earlier process. */
  synchronized void restore(String stream, StreamProgress progress) {
    StreamCounts account = account(stream);
    account.recordedBefore = progress.recorded();
    account.stored = progress.stored();
    account.outstanding = progress.outstanding();
    account.nextSeq = progress.nextSeq();
    account.settledSeq = progress.settledSeq();
    account.lastMicros = progress.lastMicros();
    account.lost.putAll(progress.lost());
  }

  /** A block is accepted for shipping and unsettled from now on. */
  synchronized void accepted(BlockHead block) {
    StreamCounts account = account(block.stream());
    account.outstanding += block.rows();
    account.open.put(block.seq(), block.fromMicros());
    account.nextSeq = block.seq() + 1;
    account.lastMicros = Math.max(account.lastMicros, block.toMicros());
  }

  synchronized void stored(BlockHead block) {
    StreamCounts account = account(block.stream());
    account.settle(block);
    account.stored += block.rows();
  }

  /** An accepted block will never be stored. */
  synchronized void lostInFlight(BlockHead block, String reason) {
    account(block.stream()).settle(block);
    lost(block, reason);
  }

  /** The pipeline gives up on an accepted block; older blocks may still be settled. */
  synchronized void abandoned(BlockHead block, String reason) {
    StreamCounts account = account(block.stream());
    account.outstanding -= block.rows();
    account.open.remove(block.seq());
    lost(block, reason);
  }

  /** A block is lost before it was accepted. */
  void lost(BlockHead block, String reason) {
    lost(block.stream(), reason, new Loss(block.rows(), block.fromMicros(), block.toMicros()));
  }

  synchronized void lost(String stream, String reason, Loss rows) {
    account(stream).lost.merge(reason, rows, Loss::plus);
  }

  private StreamCounts account(String stream) {
    return streams.computeIfAbsent(
        stream,
        name -> {
          StreamCounts account = new StreamCounts();
          account.nextSeq = firstSeq;
          account.settledSeq = firstSeq;
          return account;
        });
  }

  /** Rows that the recorders kept and that are neither stored nor lost yet. */
  long unshipped() {
    // Settled rows are read first: rows recorded in between make the result larger, never negative.
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

  /** Whether this process counts the stream: requests are a broker's, all others a worker's. */
  boolean emits(BlockStream stream) {
    return (stream == BlockStream.BROKER_REQUESTS) == recorders.ofBroker();
  }

  /** Rows given to the recorders of a stream, kept or not. Exact once all writers have stopped. */
  long recorded(BlockStream stream) {
    long recorded;
    synchronized (this) {
      recorded = account(stream.streamName()).recordedBefore;
    }
    for (RowLog log : stream.logs(recorders)) {
      Loss loss = log.loss();
      recorded += log.published() + (loss == null ? 0 : loss.events());
    }
    return recorded;
  }

  /** Recorded rows of a stream that are in a block, or lost. */
  long encoded(BlockStream stream) {
    long encoded = 0;
    for (RowLog log : stream.logs(recorders)) {
      Loss loss = log.loss();
      encoded += loss == null ? 0 : loss.events();
    }
    synchronized (this) {
      StreamCounts account = account(stream.streamName());
      return encoded + account.settled() + account.outstanding;
    }
  }

  /** Lost rows of a stream by reason, including rows that the recorders had no room for. */
  Map<String, Loss> lost(BlockStream stream) {
    Map<String, Loss> lost;
    synchronized (this) {
      lost = new TreeMap<>(account(stream.streamName()).lost);
    }
    for (RowLog log : stream.logs(recorders)) {
      Loss loss = log.loss();
      if (loss != null) {
        lost.merge(LossReasons.RECORDER_FULL, loss, Loss::plus);
      }
    }
    return lost;
  }

  long lost() {
    return BlockStream.RECORDED.stream()
        .flatMap(stream -> lost(stream).values().stream())
        .mapToLong(Loss::events)
        .sum();
  }

  /** Rows of a stream that are known to be committed. */
  synchronized long stored(String stream) {
    return account(stream).stored;
  }

  /** Rows in unsettled blocks, over all streams except the ledger. */
  synchronized long outstanding() {
    return BlockStream.RECORDED.stream()
        .mapToLong(stream -> account(stream.streamName()).outstanding)
        .sum();
  }

  /** A snapshot of a stream. It contains every row recorded so far exactly once. */
  StreamProgress progress(BlockStream stream) {
    // The number of recorded rows is read last, so it is never below the sum of the others.
    StreamProgress shipped;
    synchronized (this) {
      StreamCounts account = account(stream.streamName());
      shipped =
          new StreamProgress(
              0,
              account.stored,
              account.outstanding,
              lost(stream),
              account.nextSeq,
              account.settledSeq,
              account.lastMicros,
              account.openMicros());
    }
    return shipped.withRecorded(recorded(stream));
  }
}
