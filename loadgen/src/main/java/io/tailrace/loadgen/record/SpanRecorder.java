// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

import java.util.Collection;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Queues the spans of sampled messages for shipping. Any thread may add a span without waiting; a
 * span that finds no room is counted as lost.
 */
public final class SpanRecorder {
  private static final int ROOM = 65_536;

  private final int oneIn;
  private final ArrayBlockingQueue<SpanRow> rows = new ArrayBlockingQueue<>(ROOM);
  private final AtomicLong recorded = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();

  public SpanRecorder(int oneIn) {
    this.oneIn = oneIn;
  }

  /** Whether the message with this sequence number of its producer is sampled. */
  public boolean sampled(long sequence) {
    return oneIn > 0 && sequence % oneIn == 0;
  }

  public boolean on() {
    return oneIn > 0;
  }

  public void add(SpanRow row) {
    recorded.incrementAndGet();
    if (!rows.offer(row)) {
      lost.incrementAndGet();
    }
  }

  /** Removes up to {@code atMost} spans, oldest first. */
  public int drainTo(Collection<SpanRow> to, int atMost) {
    return rows.drainTo(to, atMost);
  }

  /** Spans added, including lost ones. */
  public long recorded() {
    return recorded.get();
  }

  public long lost() {
    return lost.get();
  }
}
