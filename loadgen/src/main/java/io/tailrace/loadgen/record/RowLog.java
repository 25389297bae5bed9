// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * The queue of rows from one recorder to the encoder: a chain of chunks with one writer and one
 * reader at a time, and no lock between them.
 *
 * <p>The writer fills a row and then publishes the new row count (release); the reader reads rows
 * up to the count that it sees (acquire), even in the middle of a chunk, so a writer that pauses
 * never holds rows back. The reader releases a chunk only after the writer has moved on to the next
 * one.
 *
 * <p>If the pool has no chunk left, the row is counted as lost, with its time.
 */
public final class RowLog {
  private static final VarHandle PUBLISHED;
  private static final VarHandle LOST;

  static {
    try {
      PUBLISHED = MethodHandles.lookup().findVarHandle(RowLog.class, "published", long.class);
      LOST = MethodHandles.lookup().findVarHandle(RowLog.class, "lost", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final ChunkPool pool;
  private final RowChunk.Shape shape;
  private final String topic;
  private final int[] ids;

  // Used by the writer.
  private RowChunk tail;
  private int row;
  private RowChunk first;
  private long published;
  private long lost;
  private long lostFrom = Long.MAX_VALUE;
  private long lostTo = Long.MIN_VALUE;

  // Used by the reader: rows before (cursor, cursorRow) are collected, chunks before oldest are
  // released.
  private RowChunk oldest;
  private RowChunk cursor;
  private int cursorRow;
  private long collected;

  /**
   * @param pool supplies chunks; null for a log that discards all rows without counting them
   * @param topic topic of every row, or null if each row has its own
   * @param ids numbers that are the same in every row
   */
  RowLog(ChunkPool pool, RowChunk.Shape shape, String topic, int... ids) {
    this.pool = pool;
    this.shape = shape;
    this.topic = topic;
    this.ids = ids;
  }

  /** Chunk to write the next row to, at {@link #row()}; null if the row is lost. Writer only. */
  RowChunk reserve(long timeMicros) {
    RowChunk chunk = tail;
    return chunk != null && row < RowChunk.ROWS ? chunk : extend(timeMicros);
  }

  /** Index of the next row in its chunk. Writer only. */
  int row() {
    return row;
  }

  /** Publishes the row just written to the reader. Writer only. */
  void publish() {
    row++;
    PUBLISHED.setRelease(this, published + 1);
  }

  private RowChunk extend(long timeMicros) {
    if (pool == null) {
      return null;
    }
    RowChunk chunk = pool.take(shape);
    if (chunk == null) {
      lose(timeMicros);
      return null;
    }
    if (tail == null) {
      first = chunk;
    } else {
      tail.next = chunk;
    }
    tail = chunk;
    row = 0;
    return chunk;
  }

  /** Counts a row that is not kept. Writer only. */
  void lose(long timeMicros) {
    lostFrom = Math.min(lostFrom, timeMicros);
    lostTo = Math.max(lostTo, timeMicros);
    LOST.setRelease(this, lost + 1);
  }

  /** Rows kept so far. Any thread. */
  public long published() {
    return (long) PUBLISHED.getAcquire(this);
  }

  /** Rows lost so far, or null. Exact once the writer has stopped. Any thread. */
  public Loss loss() {
    long events = (long) LOST.getAcquire(this);
    return events == 0 ? null : new Loss(events, lostFrom, lostTo);
  }

  /** Rows that {@link #collect} would return. Reader only. */
  public long available() {
    return published() - collected;
  }

  /**
   * Advances over at most {@code maxRows} rows, adds the segments that contain them, which are
   * valid until {@link #release}, and returns their number. Reader only.
   */
  public int collect(int maxRows, List<RowSegment> into) {
    int rows = (int) Math.min(maxRows, available());
    int left = rows;
    while (left > 0) {
      if (cursor == null) {
        cursor = first;
        oldest = first;
      } else if (cursorRow == RowChunk.ROWS) {
        cursor = cursor.next;
        cursorRow = 0;
      }
      int taken = Math.min(left, RowChunk.ROWS - cursorRow);
      into.add(new RowSegment(this, cursor, cursorRow, taken));
      cursorRow += taken;
      left -= taken;
    }
    collected += rows;
    return rows;
  }

  /** Returns the chunks whose rows are all collected to the pool. Reader only. */
  public void release() {
    while (oldest != cursor) {
      RowChunk done = oldest;
      oldest = done.next;
      pool.give(done, shape);
    }
  }

  /** Topic of every row, or null if each row has its own. */
  public String topic() {
    return topic;
  }

  /** A number that is the same in every row. */
  public int id(int index) {
    return ids[index];
  }
}
