// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.util.Collection;

/**
 * Counts of one or more consumers.
 *
 * @param redelivered of those, messages that a share group had handed out before
 * @param foreign messages without this program's header: another program wrote to the topic
 * @param otherRuns messages with the header of another run or of an older version
 * @param corrupt of those, messages that are not, byte for byte, what was sent
 */
public record ReceivedCounts(
    EventCount messages,
    EventCount redelivered,
    EventCount foreign,
    EventCount otherRuns,
    EventCount corrupt,
    long bytes) {
  public static ReceivedCounts sum(Collection<ReceivedCounts> parts) {
    return new ReceivedCounts(
        EventCount.sum(parts, ReceivedCounts::messages),
        EventCount.sum(parts, ReceivedCounts::redelivered),
        EventCount.sum(parts, ReceivedCounts::foreign),
        EventCount.sum(parts, ReceivedCounts::otherRuns),
        EventCount.sum(parts, ReceivedCounts::corrupt),
        parts.stream().mapToLong(ReceivedCounts::bytes).sum());
  }
}
