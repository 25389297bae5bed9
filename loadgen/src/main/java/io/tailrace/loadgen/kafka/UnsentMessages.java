// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.pace.OverdueMessages;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Messages of one producer that were overdue and never sent.
 *
 * @param reason class of the error that the producer's last message ended with, or {@link #LATE}
 * @param count how many, with the intended send of the first and the last
 */
public record UnsentMessages(String reason, EventCount count) {
  public static final UnsentMessages NONE = new UnsentMessages("", EventCount.NONE);

  /** The reason where messages were still acknowledged: the producer could not keep up. */
  static final String LATE = "late";

  /** The sum of several producers, by reason. */
  public static SortedMap<String, EventCount> byReason(Stream<UnsentMessages> all) {
    SortedMap<String, EventCount> counts = new TreeMap<>();
    all.filter(unsent -> unsent.count().count() > 0)
        .forEach(unsent -> counts.merge(unsent.reason(), unsent.count(), EventCount::plus));
    return counts;
  }

  static UnsentMessages of(OverdueMessages overdue, String lastFailure, NanoClock clock) {
    if (overdue.messages() == 0) {
      return NONE;
    }
    return new UnsentMessages(
        lastFailure.isEmpty() ? LATE : lastFailure,
        new EventCount(
            overdue.messages(),
            clock.epochMicros(overdue.firstNanoTime()),
            clock.epochMicros(overdue.lastNanoTime())));
  }
}
