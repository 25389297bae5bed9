// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import java.util.Arrays;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.storage.internals.log.LogAppendInfo;

/**
 * What a produce request appended, log by log, and where the time went. Its arrays grow to the
 * largest request and are then reused. For one thread at a time.
 */
final class Appends {
  private static final int START = 16;

  private int count;
  private String[] topics = new String[START];
  private int[] partitions = new int[START];
  private int[] records = new int[START];
  private int[] bytes = new int[START];
  private long[] firstOffsets = new long[START];

  /** Four per append: log, lock, roll, flush. */
  private long[] nanos = new long[4 * START];

  private long lockSince;
  private long lock;
  private long roll;
  private long flush;

  void clear() {
    Arrays.fill(topics, 0, count, null);
    count = 0;
  }

  void begin() {
    lockSince = 0;
    lock = 0;
    roll = 0;
    flush = 0;
  }

  void waitsForLock(long now) {
    lockSince = now;
  }

  void hasLock(long now) {
    if (lockSince != 0) {
      lock += now - lockSince;
      lockSince = 0;
    }
  }

  boolean waitingForLock() {
    return lockSince != 0;
  }

  void rolled(long duration) {
    roll += duration;
  }

  void flushed(long duration) {
    flush += duration;
  }

  void end(TopicPartition log, LogAppendInfo info, long duration) {
    if (count == topics.length) {
      grow();
    }
    topics[count] = log.topic();
    partitions[count] = log.partition();
    records[count] = (int) info.numMessages();
    bytes[count] = info.validBytes();
    firstOffsets[count] = info.firstOffset();
    nanos[4 * count] = duration;
    nanos[4 * count + 1] = lock;
    nanos[4 * count + 2] = roll;
    nanos[4 * count + 3] = flush;
    count++;
  }

  private void grow() {
    topics = Arrays.copyOf(topics, 2 * count);
    partitions = Arrays.copyOf(partitions, 2 * count);
    records = Arrays.copyOf(records, 2 * count);
    bytes = Arrays.copyOf(bytes, 2 * count);
    firstOffsets = Arrays.copyOf(firstOffsets, 2 * count);
    nanos = Arrays.copyOf(nanos, 8 * count);
  }

  int count() {
    return count;
  }

  /**
   * The append of a partition that began at an offset, −1 if there is none; searched from a
   * position on, because responses mostly have the order of the appends. A topic's name, if given,
   * must match.
   */
  int find(String topic, int partition, long firstOffset, int from) {
    for (int i = 0; i < count; i++) {
      int at = (from + i) % count;
      if (partitions[at] == partition
          && firstOffsets[at] == firstOffset
          && (topic.isEmpty() || topic.equals(topics[at]))) {
        return at;
      }
    }
    return -1;
  }

  void copy(int at, RequestRow row) {
    row.topic = topics[at];
    row.partition = partitions[at];
    row.offset = firstOffsets[at];
    row.records = records[at];
    row.bytes = bytes[at];
    row.log = nanos[4 * at];
    row.lock = nanos[4 * at + 1];
    row.roll = nanos[4 * at + 2];
    row.flush = nanos[4 * at + 3];
  }
}
