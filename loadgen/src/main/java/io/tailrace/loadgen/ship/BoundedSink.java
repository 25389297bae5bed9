// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockSink;
import io.tailrace.loadgen.block.BlockStream;
import io.tailrace.loadgen.block.EncodedBlock;
import io.tailrace.loadgen.record.Loss;
import io.tailrace.loadgen.spool.BlockRef;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes each block to the spool before it is sent, and holds in memory what fits a window. A block
 * that is in the spool may leave memory; one that is not may use all of the window, so half of it
 * is kept free for those. What fits nowhere is dropped and counted, the newest first. Events and
 * leaders always pass: they are few, and without its phases a run cannot be read. Encoder thread
 * only.
 */
final class BoundedSink implements BlockSink {
  static final String LOST_MEMORY_FULL = "memory_full";
  static final String LOST_SPOOL_FULL = "spool_full";
  static final String LOST_NOT_ENCODED = "not_encoded";

  private static final Logger LOG = LoggerFactory.getLogger(BoundedSink.class);
  private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What was recorded after the last one is in no count when the process is killed. */
  private static final long CHECKPOINT_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final Set<String> ALWAYS =
      Set.of(BlockStream.RUN_EVENTS.streamName(), BlockStream.PARTITION_LEADERS.streamName());

  private final Shipper shipper;
  private final ShippingState state;
  private final long windowBytes;
  private long droppedRows;
  private long warnedNanos = System.nanoTime() - WARN_EVERY_NANOS;
  private long checkpointNanos = System.nanoTime();

  /**
   * @param windowBytes blocks held in memory at most
   */
  BoundedSink(Shipper shipper, ShippingState state, long windowBytes) {
    this.shipper = shipper;
    this.state = state;
    this.windowBytes = windowBytes;
  }

  @Override
  public boolean accept(EncodedBlock block) {
    BlockRef ref = state.keep(block);
    long held = shipper.heldBytes() + block.bytes().length;
    if (ref == null && held > windowBytes && !ALWAYS.contains(block.stream())) {
      state.dropped(block.head(), state.hasSpool() ? LOST_SPOOL_FULL : LOST_MEMORY_FULL);
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
          "unshipped blocks have {} bytes of memory{}; {} rows lost so far",
          windowBytes,
          state.hasSpool() ? " alone, the spool in " + state.failure() : " and fill it",
          droppedRows);
    }
  }

  @Override
  public void notEncoded(BlockStream stream, Loss rows, Throwable cause) {
    state.lost(stream.streamName(), LOST_NOT_ENCODED, rows);
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
