// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/**
 * Rows that were not kept.
 *
 * @param events how many
 * @param fromMicros time of the first one, µs since 1970
 * @param toMicros time of the last one, µs since 1970
 */
public record Loss(long events, long fromMicros, long toMicros) {
  /** This loss and another one taken together. */
  public Loss plus(Loss other) {
    return new Loss(
        events + other.events,
        Math.min(fromMicros, other.fromMicros),
        Math.max(toMicros, other.toMicros));
  }
}
