// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.resources.Resource;
import java.util.stream.IntStream;

/**
 * What an event contains about its message, in OpenTelemetry's messaging conventions where they
 * have a name for it. The same facts as a row of {@code publishes}, less what the signal carries
 * itself.
 */
final class MessageAttributes {
  static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  static final AttributeKey<String> OPERATION = AttributeKey.stringKey("messaging.operation.name");
  static final AttributeKey<String> TOPIC = AttributeKey.stringKey("messaging.destination.name");
  static final AttributeKey<String> PARTITION =
      AttributeKey.stringKey("messaging.destination.partition.id");
  static final AttributeKey<Long> OFFSET = AttributeKey.longKey("messaging.kafka.offset");
  static final AttributeKey<Long> BODY_SIZE = AttributeKey.longKey("messaging.message.body.size");
  static final AttributeKey<Long> PRODUCER = AttributeKey.longKey("bench.producer");
  static final AttributeKey<Long> INTENDED = AttributeKey.longKey("bench.intended_us");
  static final AttributeKey<Long> DELAY = AttributeKey.longKey("bench.publish_delay_us");

  static final int TOPICS = 4;

  private static final String[] PARTITION_IDS =
      IntStream.range(0, Acks.PARTITIONS).mapToObj(Integer::toString).toArray(String[]::new);

  private static final String[] TOPIC_NAMES = names("bench-");
  private static final String[] SPAN_NAMES = names("send bench-");

  private MessageAttributes() {}

  private static String[] names(String start) {
    return IntStream.range(0, TOPICS).mapToObj(topic -> start + topic).toArray(String[]::new);
  }

  static String topic(int number) {
    return TOPIC_NAMES[number];
  }

  static String spanName(int topic) {
    return SPAN_NAMES[topic];
  }

  static String partitionId(int partition) {
    return PARTITION_IDS[partition];
  }

  /** One SDK serves all rounds, so the run is no resource attribute here, which is cheaper. */
  static Resource resource() {
    return Resource.builder()
        .put("service.name", "bench")
        .put("service.instance.id", "bench/0")
        .build();
  }
}
