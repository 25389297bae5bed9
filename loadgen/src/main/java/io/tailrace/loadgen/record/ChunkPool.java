// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Supplies chunks to many recorders within one budget of bytes. Thread-safe, never blocks. Chunks
 * of messages and requests are reused, so a steady load allocates no memory; chunks with texts are
 * few, and their memory returns to the budget. A pool supplies chunks of one reused shape.
 */
final class ChunkPool {
  private final AtomicLong freeBytes;
  private final Queue<RowChunk> idle = new ConcurrentLinkedQueue<>();

  ChunkPool(long budgetBytes) {
    freeBytes = new AtomicLong(budgetBytes);
  }

  RowChunk take(RowChunk.Shape shape) {
    if (shape != RowChunk.Shape.TEXTS) {
      RowChunk reused = idle.poll();
      if (reused != null) {
        return reused;
      }
    }
    long bytes = shape.bytes();
    if (freeBytes.addAndGet(-bytes) < 0) {
      freeBytes.addAndGet(bytes);
      return null;
    }
    return new RowChunk(shape);
  }

  /** Takes back a chunk that no thread reads or writes any more. */
  void give(RowChunk chunk, RowChunk.Shape shape) {
    chunk.next = null;
    if (shape == RowChunk.Shape.TEXTS) {
      freeBytes.addAndGet(shape.bytes());
    } else {
      idle.offer(chunk);
    }
  }
}
