// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.payload.Keys;
import io.tailrace.loadgen.payload.Payloads;
import io.tailrace.loadgen.payload.Sizes;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.workload.Keys.KeySpec;
import io.tailrace.loadgen.workload.Messages.SizeSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** The planned messages of one producer, one after the other. For one thread. */
final class PlannedMessages implements Messages {
  private final String topic;
  private final Payloads payloads;
  private final Keys keys;
  private final List<Header> headers;
  private final ProducerRecord<byte[], byte[]> only;
  private final boolean sameBody;
  private final boolean keyed;
  private long number;

  PlannedMessages(Plan plan, Plan.ProducerPlan self) {
    topic = self.topic();
    Plan.PayloadPlan payload = plan.payload();
    payloads =
        new Payloads(
            payload.bodies(),
            payload.sizes().map(PlannedMessages::sizes).orElse(null),
            plan.seed(),
            self.producer());
    keys = keys(plan.behaviour().keys(), plan.seed(), self.producer());
    headers =
        plan.behaviour().headers().entrySet().stream()
            .<Header>map(
                header ->
                    new RecordHeader(
                        header.getKey(), header.getValue().getBytes(StandardCharsets.UTF_8)))
            .toList();
    sameBody = payload.bodies().size() == 1 && payload.sizes().isEmpty();
    keyed = plan.behaviour().keys().choice() != KeySpec.Choice.NONE;
    only = sameBody && !keyed ? made() : null;
  }

  private static Sizes sizes(SizeSpec spec) {
    List<SizeSpec.Bucket> buckets = spec.buckets();
    return new Sizes(
        buckets.stream().mapToInt(SizeSpec.Bucket::least).toArray(),
        buckets.stream().mapToInt(SizeSpec.Bucket::most).toArray(),
        buckets.stream().mapToDouble(SizeSpec.Bucket::weight).toArray());
  }

  private static Keys keys(KeySpec spec, long seed, int producer) {
    return switch (spec.choice()) {
      case NONE -> Keys.none();
      case ROUND_ROBIN -> Keys.roundRobin(spec.count(), spec.bytes(), seed, producer);
      case RANDOM -> Keys.random(spec.count(), spec.bytes(), seed, producer);
      case ZIPF -> Keys.zipf(spec.count(), spec.bytes(), spec.exponent(), seed, producer);
    };
  }

  @Override
  public ProducerRecord<byte[], byte[]> next() {
    ProducerRecord<byte[], byte[]> record = only != null ? only : made();
    number++;
    return record;
  }

  /** Key and value are arrays that are used again for the next message. */
  private ProducerRecord<byte[], byte[]> made() {
    return new ProducerRecord<>(
        topic, null, keys.key(number), payloads.value(number), headers.isEmpty() ? null : headers);
  }

  @Override
  public boolean sameBody() {
    return sameBody;
  }

  @Override
  public boolean keyed() {
    return keyed;
  }
}
