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

  private static final int NUMBER_LONGS = 4;
  private static final int TEXT_LONGS = 6;
  private static final int INTS = 4;
  private static final int TEXTS = 3;
  private static final int REFERENCE_BYTES = 8;

  final long[][] longs;
  final int[][] ints;
  final String[][] texts;
  RowChunk next;

  private RowChunk(int longColumns, int textColumns) {
    longs = new long[longColumns][ROWS];
    ints = new int[INTS][ROWS];
    texts = new String[textColumns][ROWS];
  }

  static RowChunk ofNumbers() {
    return new RowChunk(NUMBER_LONGS, 0);
  }

  static RowChunk ofTexts() {
    return new RowChunk(TEXT_LONGS, TEXTS);
  }

  /** Bytes of the arrays; texts count as references. */
  static long bytes(boolean withTexts) {
    return withTexts
        ? (long) ROWS * (TEXT_LONGS * Long.BYTES + INTS * Integer.BYTES + TEXTS * REFERENCE_BYTES)
        : (long) ROWS * (NUMBER_LONGS * Long.BYTES + INTS * Integer.BYTES);
  }
}
