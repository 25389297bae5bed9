// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.time.Duration;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/**
 * A backlog: consumers pause inside their group, producers go on; then consumers resume and drain
 * it under load. It is built when the first of the three sizes is reached.
 *
 * @param bytes unread bytes summed over all groups, as OMB counts
 * @param messages unread messages summed over all groups
 * @param lasting how long consumers pause
 * @param buildRate messages per second while it builds; empty for the rate of the measure phase
 * @param buildTimeout longest time to build it
 * @param drainRatio share of the backlog that must be gone for it to count as drained, above 0 to
 *     1; 1,000 messages may always be left
 * @param drainTimeout longest time to drain it; then the verdict is that it did not
 * @param beforeMeasure whether it comes before the measure phase, as in OMB, rather than after it
 */
public record BacklogSpec(
    OptionalLong bytes,
    OptionalLong messages,
    Duration lasting,
    OptionalDouble buildRate,
    Duration buildTimeout,
    double drainRatio,
    Duration drainTimeout,
    boolean beforeMeasure) {}
