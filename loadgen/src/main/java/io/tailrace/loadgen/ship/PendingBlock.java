// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockHead;
import io.tailrace.loadgen.spool.BlockRef;

/** A block on its way: in memory, in the spool, or in both. */
final class PendingBlock {
  private static final long FIRST_DELAY_MILLIS = 100;
  private static final long LAST_DELAY_MILLIS = 2_000;
  private static final int READS = 11;

  final BlockHead head;

  /** Where it lies in the spool; null where it is in memory alone. */
  final BlockRef ref;

  /** Null where it must be read back. */
  byte[] bytes;

  private long delayMillis = FIRST_DELAY_MILLIS;
  private int readsLeft = READS;

  PendingBlock(BlockHead head, BlockRef ref, byte[] bytes) {
    this.head = head;
    this.ref = ref;
    this.bytes = bytes;
  }

  /** After a read that failed; false when it was the last one. */
  boolean mayRetryRead() {
    return --readsLeft > 0;
  }

  /** How long to wait before the next attempt; longer each time. */
  long nextDelayMillis() {
    long delay = delayMillis;
    delayMillis = Math.min(2 * delayMillis, LAST_DELAY_MILLIS);
    return delay;
  }
}
