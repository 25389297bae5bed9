// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

import java.util.Collection;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Spans of sampled messages on their way out. Any thread adds, without waiting: one that finds no
 * room is counted as lost.
 */
public final class SpanRecorder {
  private static final int ROOM = 65_536;

  private final int oneIn;
  private final ArrayBlockingQueue<SpanRow> rows = new ArrayBlockingQueue<>(ROOM);
  private final AtomicLong recorded = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();

  /**
   * @param oneIn one message in this many is sampled; 0 for none
   */
  public SpanRecorder(int oneIn) {
    this.oneIn = oneIn;
  }

  /** Whether the message with this sequence in its producer is sampled. */
  public boolean sampled(long sequence) {
    return oneIn > 0 && sequence % oneIn == 0;
  }

  /** Whether any message is sampled. */
  public boolean on() {
    return oneIn > 0;
  }

  /** Records one span. */
  public void add(SpanRow row) {
    recorded.incrementAndGet();
    if (!rows.offer(row)) {
      lost.incrementAndGet();
    }
  }

  /** Moves up to {@code atMost} spans, the oldest first. */
  public int drainTo(Collection<SpanRow> to, int atMost) {
    return rows.drainTo(to, atMost);
  }

  /** Spans added, those lost included. */
  public long recorded() {
    return recorded.get();
  }

  /** Spans that found no room. */
  public long lost() {
    return lost.get();
  }
}
