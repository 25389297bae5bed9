// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/** Rows that were lost, with the times of the first and the last, µs since 1970. */
public record Loss(long events, long fromMicros, long toMicros) {
  public Loss plus(Loss other) {
    return new Loss(
        events + other.events,
        Math.min(fromMicros, other.fromMicros),
        Math.max(toMicros, other.toMicros));
  }
}
