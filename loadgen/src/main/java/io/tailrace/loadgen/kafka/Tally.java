// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.util.Collection;
import java.util.function.Function;

/**
 * How many events there have been.
 *
 * @param count events
 * @param firstMicros time of the first one, µs since 1970 UTC; 0 where there is none
 * @param lastMicros time of the last one, µs since 1970 UTC; 0 where there is none
 */
public record Tally(long count, long firstMicros, long lastMicros) {
  /** No event. */
  public static final Tally NONE = new Tally(0, 0, 0);

  /** A counter as it stands. */
  public static Tally of(EventCounter counter) {
    long count = counter.count();
    return count == 0 ? NONE : new Tally(count, counter.firstMicros(), counter.lastMicros());
  }

  /** This one and another one taken together. */
  public Tally plus(Tally other) {
    if (count == 0 || other.count == 0) {
      return count == 0 ? other : this;
    }
    return new Tally(
        count + other.count,
        Math.min(firstMicros, other.firstMicros),
        Math.max(lastMicros, other.lastMicros));
  }

  /** One tally of each, all together. */
  public static <T> Tally sum(Collection<T> all, Function<T, Tally> tally) {
    return all.stream().map(tally).reduce(NONE, Tally::plus);
  }
}
