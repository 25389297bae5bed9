// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockSink;
import io.tailrace.loadgen.block.BlockStream;
import io.tailrace.loadgen.block.EncodedBlock;
import io.tailrace.loadgen.record.Loss;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands blocks to the shipper as long as those it holds take no more than the given bytes; drops
 * and counts the newest otherwise. Events and leaders always pass: they are few, and without its
 * phases a run cannot be read. Encoder thread only.
 */
final class BoundedSink implements BlockSink {
  static final String LOST_NOT_ENCODED = "not_encoded";

  private static final Logger LOG = LoggerFactory.getLogger(BoundedSink.class);
  private static final long WARN_EVERY_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final Set<String> ALWAYS =
      Set.of(BlockStream.RUN_EVENTS.streamName(), BlockStream.PARTITION_LEADERS.streamName());

  private final Shipper shipper;
  private final Accounts accounts;
  private final long maxBytes;
  private long droppedRows;
  private long warnedNanos = System.nanoTime() - WARN_EVERY_NANOS;

  BoundedSink(Shipper shipper, Accounts accounts, long maxBytes) {
    this.shipper = shipper;
    this.accounts = accounts;
    this.maxBytes = maxBytes;
  }

  @Override
  public boolean accept(EncodedBlock block) {
    if (shipper.heldBytes() + block.bytes().length > maxBytes && !ALWAYS.contains(block.stream())) {
      accounts.lost(block, Shipper.LOST_MEMORY_FULL);
      warn(block);
      return false;
    }
    shipper.offer(block);
    return true;
  }

  private void warn(EncodedBlock block) {
    droppedRows += block.rows();
    long now = System.nanoTime();
    if (now - warnedNanos >= WARN_EVERY_NANOS) {
      warnedNanos = now;
      LOG.warn(
          "unshipped blocks fill their {} bytes of memory, {} rows lost so far",
          maxBytes,
          droppedRows);
    }
  }

  @Override
  public void notEncoded(BlockStream stream, Loss rows, Throwable cause) {
    accounts.lost(stream.streamName(), LOST_NOT_ENCODED, rows);
    LOG.error(
        "{} rows of {} could not be encoded and are lost",
        rows.events(),
        stream.streamName(),
        cause);
  }
}
