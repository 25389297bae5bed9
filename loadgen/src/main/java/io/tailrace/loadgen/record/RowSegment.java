// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/** Rows {@code from … from + rows - 1}, 1 or more, of the arrays of one log's chunk. */
public record RowSegment(RowLog log, RowChunk chunk, int from, int rows) {
  /** A column of 64-bit numbers. Must not be changed. */
  public long[] longs(int column) {
    return chunk.longs[column];
  }

  /** A column of 32-bit numbers. Must not be changed. */
  public int[] ints(int column) {
    return chunk.ints[column];
  }

  /** A column of texts. Must not be changed. */
  public String[] texts(int column) {
    return chunk.texts[column];
  }
}
