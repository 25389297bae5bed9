// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/**
 * Memory for {@link #ROWS} rows, column by column. One writer fills it from row 0 on; a reader may
 * only read rows that their {@link RowLog} has published. Chunks are small, so that thousands of
 * recorders waste little memory.
 */
public final class RowChunk {
  /** Rows of a full chunk. */
  public static final int ROWS = 1024;

  private static final int REFERENCE_BYTES = 8;

  /** How many columns of each type a chunk has. */
  enum Shape {
    NUMBERS(4, 4, 0),
    TEXTS(6, 4, 3),
    REQUESTS(3, 15, 6);

    private final int longs;
    private final int ints;
    private final int texts;

    Shape(int longs, int ints, int texts) {
      this.longs = longs;
      this.ints = ints;
      this.texts = texts;
    }

    /** Bytes of the arrays; texts count as references. */
    long bytes() {
      return (long) ROWS * (longs * Long.BYTES + ints * Integer.BYTES + texts * REFERENCE_BYTES);
    }
  }

  final long[][] longs;
  final int[][] ints;
  final String[][] texts;
  RowChunk next;

  RowChunk(Shape shape) {
    longs = new long[shape.longs][ROWS];
    ints = new int[shape.ints][ROWS];
    texts = new String[shape.texts][ROWS];
  }
}
