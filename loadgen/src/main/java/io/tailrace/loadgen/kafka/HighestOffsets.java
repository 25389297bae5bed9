// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The offset after the highest one seen in each partition of one topic, 0 before the first. One
 * thread advances, any thread reads. Counts alone do not show whether everything acknowledged has
 * arrived: a message whose send timed out may be in the log and be received too.
 */
public final class HighestOffsets {
  private static final VarHandle MARK = MethodHandles.arrayElementVarHandle(long[].class);

  private final long[] marks;

  HighestOffsets(int partitions) {
    marks = new long[partitions];
  }

  void advance(int partition, long offset) {
    reach(partition, offset + 1);
  }

  void reach(int partition, long next) {
    if (next > marks[partition]) {
      MARK.setOpaque(marks, partition, next);
    }
  }

  /** Offset after the highest one seen in a partition. */
  public long next(int partition) {
    return (long) MARK.getOpaque(marks, partition);
  }
}
