// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.plan.Plan;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The messages that a plan has for one producer. */
final class PlannedMessages implements Messages {
  private final ProducerRecord<byte[], byte[]> record;

  PlannedMessages(Plan plan, Plan.ProducerPlan self) {
    record = new ProducerRecord<>(self.topic(), plan.payload().bodies().get(0).clone());
  }

  @Override
  public ProducerRecord<byte[], byte[]> next() {
    return record;
  }
}
