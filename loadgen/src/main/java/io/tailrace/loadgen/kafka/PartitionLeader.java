// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

/** The leader of a partition: its broker id and the host that it advertises. */
public record PartitionLeader(String topic, int partition, int leader, String host) {}
