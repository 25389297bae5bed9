// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.tailrace.loadgen.block.BlockHead;
import io.tailrace.loadgen.spool.BlockRef;

/** A block that waits for its acknowledgement: in memory, in the spool, or both. */
final class PendingBlock {
  private static final long FIRST_DELAY_MILLIS = 100;
  private static final long LAST_DELAY_MILLIS = 2_000;
  private static final int MAX_READS = 11;

  final BlockHead head;

  /** Its position in the spool; null if it is only in memory. */
  final BlockRef ref;

  /** Null if it must be read from the spool. */
  byte[] bytes;

  private long delayMillis = FIRST_DELAY_MILLIS;
  private int readsLeft = MAX_READS;

  PendingBlock(BlockHead head, BlockRef ref, byte[] bytes) {
    this.head = head;
    this.ref = ref;
    this.bytes = bytes;
  }

  /** Called after a failed read; false if it was the last attempt. */
  boolean mayRetryRead() {
    return --readsLeft > 0;
  }

  /** How long to wait before the next attempt; doubles each time. */
  long nextDelayMillis() {
    long delay = delayMillis;
    delayMillis = Math.min(2 * delayMillis, LAST_DELAY_MILLIS);
    return delay;
  }
}
