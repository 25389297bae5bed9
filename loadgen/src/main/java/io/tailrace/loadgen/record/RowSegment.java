// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/**
 * Consecutive rows of one log: rows {@code from … from + rows - 1} of the arrays that its methods
 * return.
 *
 * @param log where the rows come from
 * @param from first row
 * @param rows number of rows, 1 or more
 */
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
