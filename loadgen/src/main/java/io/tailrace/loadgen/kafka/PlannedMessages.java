// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.plan.Plan;
import org.apache.kafka.clients.producer.ProducerRecord;

/** The messages that a plan has for one producer. */
final class PlannedMessages implements Messages {
  private final ProducerRecord<byte[], byte[]> record;
  private final boolean sameBody;

  PlannedMessages(Plan plan, Plan.ProducerPlan self) {
    sameBody = plan.payload().bodies().size() == 1 && plan.payload().sizes().isEmpty();
    record = new ProducerRecord<>(self.topic(), plan.payload().bodies().get(0).clone());
  }

  @Override
  public ProducerRecord<byte[], byte[]> next() {
    return record;
  }

  @Override
  public boolean sameBody() {
    return sameBody;
  }
}
