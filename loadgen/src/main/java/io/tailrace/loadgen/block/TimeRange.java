// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

import io.tailrace.loadgen.record.RowSegment;
import java.util.List;

/** Earliest and latest time of rows, µs since 1970. */
record TimeRange(long fromMicros, long toMicros) {
  static TimeRange of(List<RowSegment> segments, int timeColumn) {
    long from = Long.MAX_VALUE;
    long to = Long.MIN_VALUE;
    for (RowSegment s : segments) {
      long[] times = s.longs(timeColumn);
      for (int i = s.from(); i < s.from() + s.rows(); i++) {
        from = Math.min(from, times[i]);
        to = Math.max(to, times[i]);
      }
    }
    return new TimeRange(from, to);
  }
}
