// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Optional;

/**
 * One topic of a run. Equal topics share one instance, so a million of them cost a list.
 *
 * @param name name of the topic, or empty when the plan makes one up
 * @param partitions its partitions; 0 for an existing topic: the broker knows
 * @param producers producers that write it; 0 when it is only read
 * @param subscriptions consumer or share groups that read it; 0 when it is only written
 * @param consumersPerSubscription members of each group, 1 or more unless there is no group
 * @param existing whether it is there before the run and stays after it
 * @param weight its weight in the total rate against that of other topics, above 0
 */
public record TopicSpec(
    Optional<String> name,
    int partitions,
    int producers,
    int subscriptions,
    int consumersPerSubscription,
    boolean existing,
    double weight) {}
