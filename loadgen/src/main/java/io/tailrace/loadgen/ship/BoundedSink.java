// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockSink;
import io.tailrace.loadgen.block.BlockStream;
import io.tailrace.loadgen.block.EncodedBlock;
import io.tailrace.loadgen.contract.LossReasons;
import io.tailrace.loadgen.record.Loss;
import io.tailrace.loadgen.spool.BlockRef;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes each block to the spool before it is sent, and keeps blocks in memory up to a limit.
 * Spooled blocks use at most half of the limit, because they can be read back; the other half stays
 * free for blocks that the spool did not take. A block that fits in neither is dropped and counted.
 * Events and partition leaders are never dropped: they are few, and without its phases a run cannot
 * be analysed. Called by the encoder thread only.
 */
final class BoundedSink implements BlockSink {
  private static final Logger LOG = LoggerFactory.getLogger(BoundedSink.class);
  private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Rows recorded since the last checkpoint are in no count of a killed process. */
  private static final long CHECKPOINT_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final Set<String> NEVER_DROPPED =
      Set.of(BlockStream.RUN_EVENTS.streamName(), BlockStream.PARTITION_LEADERS.streamName());

  private final Shipper shipper;
  private final ShippingState state;
  private final long windowBytes;
  private long droppedRows;
  private long warnedNanos = System.nanoTime() - WARN_EVERY_NANOS;
  private long checkpointNanos = System.nanoTime();

  BoundedSink(Shipper shipper, ShippingState state, long windowBytes) {
    this.shipper = shipper;
    this.state = state;
    this.windowBytes = windowBytes;
  }

  @Override
  public boolean accept(EncodedBlock block) {
    BlockRef ref = state.append(block);
    long held = shipper.heldBytes() + block.bytes().length;
    if (ref == null && held > windowBytes && !NEVER_DROPPED.contains(block.stream())) {
      state.dropped(
          block.head(), state.hasSpool() ? LossReasons.SPOOL_FULL : LossReasons.MEMORY_FULL);
      droppedRows += block.rows();
      warn();
      return false;
    }
    if (ref == null && state.hasSpool()) {
      warn();
    }
    state.accepted(block.head());
    if (ref == null || held <= windowBytes / 2) {
      shipper.offer(block, ref);
    } else {
      shipper.offer(ref);
    }
    checkpoint();
    return true;
  }

  private void warn() {
    long now = System.nanoTime();
    if (now - warnedNanos >= WARN_EVERY_NANOS) {
      warnedNanos = now;
      LOG.warn(
          "blocks that are not shipped yet may use {} bytes of memory{}; {} rows lost so far",
          windowBytes,
          state.hasSpool() ? " and no spool: " + state.failure() : " and have filled it",
          droppedRows);
    }
  }

  @Override
  public void notEncoded(BlockStream stream, Loss rows, Throwable cause) {
    state.lost(stream.streamName(), LossReasons.NOT_ENCODED, rows);
    LOG.error(
        "{} rows of {} could not be encoded and are lost",
        rows.events(),
        stream.streamName(),
        cause);
  }

  @Override
  public void tick() {
    if (System.nanoTime() - checkpointNanos >= CHECKPOINT_EVERY_NANOS) {
      checkpoint();
    }
  }

  private void checkpoint() {
    checkpointNanos = System.nanoTime();
    state.checkpoint();
  }
}
