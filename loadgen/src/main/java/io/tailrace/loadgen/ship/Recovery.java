// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockHead;
import io.tailrace.loadgen.block.BlockStream;
import io.tailrace.loadgen.contract.LedgerKinds;
import io.tailrace.loadgen.contract.LossReasons;
import io.tailrace.loadgen.contract.Streams;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.record.Loss;
import io.tailrace.loadgen.spool.BlockRef;
import io.tailrace.loadgen.spool.Checkpoint;
import io.tailrace.loadgen.spool.RecoveredSpool;
import io.tailrace.loadgen.spool.StreamProgress;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.LongStream;

/**
 * The counts of a worker that did not finish, rebuilt from its spool. They are exact up to the last
 * checkpoint; rows recorded later that reached no spooled block are in no count. Rows of blocks
 * that were only in memory are counted as lost, although they may have been stored at the last
 * moment.
 *
 * @param streams progress of every stream, {@code recorded = stored + outstanding + lost}
 * @param counted the load's counts, as the ledger records them
 * @param found losses found by this recovery, per stream and reason
 */
record Recovery(
    Map<String, StreamProgress> streams, List<LedgerEntry> counted, List<LedgerEntry> found) {
  static Recovery of(RecoveredSpool spool) {
    return new Builder(spool).build();
  }

  private static final class Builder {
    private final RecoveredSpool spool;
    private final Checkpoint checkpoint;
    private final Map<String, StreamProgress> streams = new LinkedHashMap<>();
    private final List<LedgerEntry> found = new ArrayList<>();

    Builder(RecoveredSpool spool) {
      this.spool = spool;
      this.checkpoint = spool.checkpoint().orElseGet(this::emptyCheckpoint);
    }

    /** Used when both checkpoints are damaged: only the blocks can be counted. */
    private Checkpoint emptyCheckpoint() {
      long last = spool.blocks().stream().mapToLong(b -> b.head().toMicros()).max().orElse(0);
      return new Checkpoint(
          spool.id().runId(), spool.id().worker(), last, false, Map.of(), List.of(), List.of());
    }

    Recovery build() {
      for (BlockStream stream : BlockStream.values()) {
        streams.put(stream.streamName(), progress(stream.streamName()));
      }
      if (!checkpoint.closed() && lost(Streams.PUBLISHES, LossReasons.KILLED) == null) {
        // Reports to the audit that rows after this time may be in no count.
        long at = checkpoint.timeMicros();
        streams.computeIfPresent(
            Streams.PUBLISHES,
            (name, p) ->
                p.withLost(
                    LossReasons.KILLED,
                    new Loss(0, p.lastMicros() == 0 ? at : Math.min(p.lastMicros(), at), at)));
      }
      return new Recovery(Map.copyOf(streams), counted(), List.copyOf(found));
    }

    private Loss lost(String stream, String reason) {
      return streams.get(stream).lost().get(reason);
    }

    private StreamProgress progress(String stream) {
      StreamProgress then = checkpoint.streams().getOrDefault(stream, unknown());
      long stored = Math.max(then.stored(), spool.settled(stream).storedRows());
      long settled = Math.max(then.settledSeq(), spool.settled(stream).settledSeq());
      List<BlockHead> present =
          spool.blocks().stream().map(BlockRef::head).filter(h -> inStream(h, stream)).toList();
      List<BlockHead> damaged = spool.damaged().stream().filter(h -> inStream(h, stream)).toList();
      List<BlockHead> torn = damaged.stream().filter(h -> h.seq() >= then.nextSeq()).toList();
      // Rows that were in blocks at the checkpoint and are now neither stored nor in the spool.
      long known = then.stored() + then.outstanding();
      long presentAtCheckpoint =
          rows(present.stream().filter(h -> h.seq() < then.nextSeq()).toList());
      long missing = Math.max(0, known - stored - presentAtCheckpoint);

      long outstanding = rows(present);
      long accounted = stored + outstanding + then.lostRows() + missing + rows(torn);
      long recorded = Math.max(Math.max(then.recorded(), accounted), counter(stream));
      long killed = recorded - accounted + rows(torn);

      long next = Math.max(then.nextSeq(), settled);
      long last = then.lastMicros();
      for (List<BlockHead> heads : List.of(present, damaged)) {
        for (BlockHead head : heads) {
          next = Math.max(next, head.seq() + 1);
          last = Math.max(last, head.toMicros());
        }
      }
      StreamProgress now =
          new StreamProgress(
              recorded, stored, outstanding, then.lost(), next, settled, last, then.openMicros());
      boolean byDamage =
          checkpoint.closed() || damaged.size() > torn.size() || spool.unreadableBytes() > 0;
      String why = byDamage ? LossReasons.SPOOL_DAMAGED : LossReasons.KILLED;
      now = lose(now, stream, why, missing, earliest(damaged, then.openMicros()));
      return lose(now, stream, LossReasons.KILLED, killed, earliest(torn, last));
    }

    /** Without a checkpoint, the lowest block number in the spool replaces the unknown first. */
    private StreamProgress unknown() {
      long first = spool.blocks().stream().mapToLong(b -> b.head().seq()).min().orElse(0);
      return new StreamProgress(0, 0, 0, Map.of(), first, first, 0, 0);
    }

    private StreamProgress lose(
        StreamProgress p, String stream, String reason, long rows, long from) {
      if (rows == 0 || stream.equals(FinalLedger.STREAM.streamName())) {
        return p;
      }
      long to = Math.max(checkpoint.timeMicros(), p.lastMicros());
      Loss loss = new Loss(rows, from == 0 ? to : from, to);
      found.add(
          new LedgerEntry(
              stream, LedgerKinds.LOST, reason, rows, loss.fromMicros(), loss.toMicros()));
      return p.withLost(reason, loss);
    }

    /** The earliest of the times of the blocks and {@code micros}; 0 is no time. */
    private static long earliest(List<BlockHead> heads, long micros) {
      return LongStream.concat(
              heads.stream().mapToLong(BlockHead::fromMicros), LongStream.of(micros))
          .filter(time -> time > 0)
          .min()
          .orElse(0);
    }

    private static boolean inStream(BlockHead head, String stream) {
      return head.stream().equals(stream);
    }

    private static long rows(List<BlockHead> heads) {
      return heads.stream().mapToLong(BlockHead::rows).sum();
    }

    private long counter(String stream) {
      String kind = LedgerKinds.ROWS.get(stream);
      return checkpoint.counted().stream()
          .filter(e -> e.kind().equals(kind))
          .mapToLong(LedgerEntry::events)
          .sum();
    }

    /** The load's counters. After a kill, they are raised to the number of rows found. */
    private List<LedgerEntry> counted() {
      if (checkpoint.closed()) {
        return checkpoint.counted();
      }
      List<LedgerEntry> counted = new ArrayList<>();
      long sent = 0;
      for (Map.Entry<String, String> e : new TreeMap<>(LedgerKinds.ROWS).entrySet()) {
        StreamProgress p = streams.get(e.getKey());
        String stream = LedgerKinds.COUNTED_IN.getOrDefault(e.getValue(), e.getKey());
        counted.add(entry(stream, e.getValue(), p.recorded(), p.lastMicros()));
        sent += stream.equals(Streams.PUBLISHES) ? p.recorded() : 0;
      }
      long last = streams.get(Streams.PUBLISHES).lastMicros();
      counted.add(entry(Streams.PUBLISHES, LedgerKinds.SENT, sent, last));
      new TreeMap<>(LedgerKinds.SEPARATE)
          .forEach(
              (stream, kinds) -> kinds.forEach(kind -> counted.add(countedOnly(stream, kind))));
      return List.copyOf(counted);
    }

    /** The value at the checkpoint; unknown where the checkpoint does not have it. */
    private LedgerEntry countedOnly(String stream, String kind) {
      long at = checkpoint.timeMicros();
      return atCheckpoint(stream, kind)
          .orElse(new LedgerEntry(stream, kind, LossReasons.UNKNOWN, 0, at, at));
    }

    private Optional<LedgerEntry> atCheckpoint(String stream, String kind) {
      return checkpoint.counted().stream()
          .filter(e -> e.stream().equals(stream) && e.kind().equals(kind))
          .findFirst();
    }

    private LedgerEntry entry(String stream, String kind, long atLeast, long last) {
      return atCheckpoint(stream, kind)
          .map(
              e ->
                  new LedgerEntry(
                      stream,
                      kind,
                      "",
                      Math.max(e.events(), atLeast),
                      e.fromMicros(),
                      Math.max(e.toMicros(), last)))
          .orElse(new LedgerEntry(stream, kind, "", atLeast, 0, last));
    }
  }
}
