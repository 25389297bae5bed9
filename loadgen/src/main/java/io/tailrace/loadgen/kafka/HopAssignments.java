// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.util.Collection;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;

/** Counts the assignments of a {@link HopInstance}. */
final class HopAssignments implements ConsumerRebalanceListener {
  private final HopCounts counts;

  HopAssignments(HopCounts counts) {
    this.counts = counts;
  }

  @Override
  public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
    if (!partitions.isEmpty()) {
      counts.addAssignment();
    }
  }

  @Override
  public void onPartitionsRevoked(Collection<TopicPartition> partitions) {}
}
