// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.pace.OverdueMessages;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Messages of one producer that were due and never sent.
 *
 * @param reason class of the error that the producer's last message ended with, or {@link #LATE}
 * @param tally how many, and when the first and the last of them were due
 */
public record Unsent(String reason, Tally tally) {
  /** Nothing is unsent. */
  public static final Unsent NONE = new Unsent("", Tally.NONE);

  /** The reason where messages still came through: the producer could not keep up. */
  static final String LATE = "late";

  /** All of them together, by the reason. */
  public static SortedMap<String, Tally> byReason(Stream<Unsent> all) {
    SortedMap<String, Tally> tallies = new TreeMap<>();
    all.filter(unsent -> unsent.tally().count() > 0)
        .forEach(unsent -> tallies.merge(unsent.reason(), unsent.tally(), Tally::plus));
    return tallies;
  }

  static Unsent of(OverdueMessages overdue, String lastFailure, NanoClock clock) {
    if (overdue.messages() == 0) {
      return NONE;
    }
    return new Unsent(
        lastFailure.isEmpty() ? LATE : lastFailure,
        new Tally(
            overdue.messages(),
            clock.epochMicros(overdue.firstNanoTime()),
            clock.epochMicros(overdue.lastNanoTime())));
  }
}
