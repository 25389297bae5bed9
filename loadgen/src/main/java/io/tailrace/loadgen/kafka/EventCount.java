// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.util.Collection;
import java.util.function.Function;

/** The value of an {@link EventCounter} at a time; µs since 1970 UTC, 0 where there is no event. */
public record EventCount(long count, long firstMicros, long lastMicros) {
  public static final EventCount NONE = new EventCount(0, 0, 0);

  public static EventCount of(EventCounter counter) {
    long count = counter.count();
    return count == 0 ? NONE : new EventCount(count, counter.firstMicros(), counter.lastMicros());
  }

  public EventCount plus(EventCount other) {
    if (count == 0 || other.count == 0) {
      return count == 0 ? other : this;
    }
    return new EventCount(
        count + other.count,
        Math.min(firstMicros, other.firstMicros),
        Math.max(lastMicros, other.lastMicros));
  }

  /** The sum of one count of each element. */
  public static <T> EventCount sum(Collection<T> all, Function<T, EventCount> count) {
    return all.stream().map(count).reduce(NONE, EventCount::plus);
  }
}
