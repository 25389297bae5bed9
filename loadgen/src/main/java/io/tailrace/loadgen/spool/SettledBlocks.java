// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

/** Blocks stored or lost: the number of the first unsettled one, and rows known to be committed. */
public record SettledBlocks(long settledSeq, long storedRows) {
  public static final SettledBlocks NONE = new SettledBlocks(0, 0);

  SettledBlocks max(SettledBlocks other) {
    return new SettledBlocks(
        Math.max(settledSeq, other.settledSeq), Math.max(storedRows, other.storedRows));
  }
}
