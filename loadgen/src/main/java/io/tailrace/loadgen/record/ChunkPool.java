// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Supplies chunks to many recorders within one budget of bytes. Thread-safe, never blocks. Chunks
 * of numbers are reused, so a steady load allocates no memory; chunks with texts are few, and their
 * memory returns to the budget.
 */
final class ChunkPool {
  private final AtomicLong freeBytes;
  private final Queue<RowChunk> idle = new ConcurrentLinkedQueue<>();

  ChunkPool(long budgetBytes) {
    freeBytes = new AtomicLong(budgetBytes);
  }

  RowChunk take(boolean withTexts) {
    if (!withTexts) {
      RowChunk reused = idle.poll();
      if (reused != null) {
        return reused;
      }
    }
    long bytes = RowChunk.bytes(withTexts);
    if (freeBytes.addAndGet(-bytes) < 0) {
      freeBytes.addAndGet(bytes);
      return null;
    }
    return withTexts ? RowChunk.ofTexts() : RowChunk.ofNumbers();
  }

  /** Takes back a chunk that no thread reads or writes any more. */
  void give(RowChunk chunk, boolean withTexts) {
    chunk.next = null;
    if (withTexts) {
      freeBytes.addAndGet(RowChunk.bytes(true));
    } else {
      idle.offer(chunk);
    }
  }
}
