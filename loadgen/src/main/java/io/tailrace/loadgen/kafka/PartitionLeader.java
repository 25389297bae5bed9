// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

/**
 * The leader of a partition.
 *
 * @param leader broker id
 * @param host host the leader advertises
 */
public record PartitionLeader(String topic, int partition, int leader, String host) {}
