// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.util.Arrays;
import java.util.StringJoiner;

/**
 * The messages acknowledged in the transaction that is open: how many, and between which offsets of
 * each partition. A producer's messages of one transaction are contiguous among its messages, so
 * producer and offset identify the messages of the transaction.
 */
final class OpenTransaction {
  private static final long NONE = -1;

  private final long[] first;
  private final long[] last;
  private long messages;

  OpenTransaction(int partitions) {
    first = new long[partitions];
    last = new long[partitions];
    clear();
  }

  synchronized void acked(int partition, long offset) {
    messages++;
    first[partition] = first[partition] == NONE ? offset : Math.min(first[partition], offset);
    last[partition] = Math.max(last[partition], offset);
  }

  synchronized void clear() {
    messages = 0;
    Arrays.fill(first, NONE);
    Arrays.fill(last, NONE);
  }

  /** What was acknowledged in it; the offsets as JSON: {@code [[partition,first,last],…]}. */
  record Acked(long messages, String ranges) {}

  synchronized Acked acked() {
    return new Acked(messages, ranges());
  }

  private String ranges() {
    StringJoiner ranges = new StringJoiner(",", "[", "]");
    for (int partition = 0; partition < first.length; partition++) {
      if (first[partition] != NONE) {
        ranges.add("[" + partition + "," + first[partition] + "," + last[partition] + "]");
      }
    }
    return ranges.toString();
  }
}
