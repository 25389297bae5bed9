// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.payload.Keys;
import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.payload.Payloads;
import io.tailrace.loadgen.payload.Sizes;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.workload.KeySpec;
import io.tailrace.loadgen.workload.SizeSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Stream;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;

/** The messages that a plan has for one producer, one after the other. For one thread. */
final class PlannedMessages {
  private final String topic;
  private final Payloads payloads;
  private final Keys keys;
  private final List<Header> headers;
  private final ProducerRecord<byte[], byte[]> only;
  private final boolean oneValue;
  private final int onlyChecksum;
  private long number;
  private int bodyChecksum;

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
    oneValue = payload.bodies().size() == 1 && payload.sizes().isEmpty();
    boolean alwaysSame = oneValue && plan.behaviour().keys().choice() == KeySpec.Choice.NONE;
    onlyChecksum = oneValue ? PayloadHeader.bodyChecksum(payload.bodies().get(0)) : 0;
    only = alwaysSame ? made(List.of()) : null;
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

  /**
   * The next message. Key and value are used again for the one after it.
   *
   * @param more headers it has beside those of every message
   */
  ProducerRecord<byte[], byte[]> next(List<Header> more) {
    ProducerRecord<byte[], byte[]> record = only != null && more.isEmpty() ? only : made(more);
    bodyChecksum = oneValue ? onlyChecksum : PayloadHeader.bodyChecksum(record.value());
    number++;
    return record;
  }

  private ProducerRecord<byte[], byte[]> made(List<Header> more) {
    List<Header> all =
        more.isEmpty() ? headers : Stream.concat(headers.stream(), more.stream()).toList();
    return new ProducerRecord<>(
        topic, null, keys.key(number), payloads.value(number), all.isEmpty() ? null : all);
  }

  /** Checksum of the bytes behind the header of the message that came last. */
  int bodyChecksum() {
    return bodyChecksum;
  }
}
