// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.plan.Plan;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicIdPartition;

/**
 * Acknowledges the messages of one member of a share group one by one: most are accepted, some are
 * released, so that the group receives them again. Records what was released, what came again, and
 * what the brokers did not confirm.
 */
final class ShareReleases {
  private static final Duration CONFIRM = Duration.ofSeconds(30);

  /** Brokers give a message up after five deliveries by default, and a fault may cost one. */
  private static final int RELEASED_UP_TO = 2;

  private final double ratio;
  private final long seed;
  private final int consumer;
  private final int subscription;
  private final ClientContext context;
  private ConsumerRecords<ByteBuffer, ByteBuffer> last = ConsumerRecords.empty();
  private volatile long released;

  ShareReleases(double ratio, long seed, Plan.ConsumerPlan self, ClientContext context) {
    this.ratio = ratio;
    this.seed = seed;
    this.consumer = self.consumer();
    this.subscription = self.subscription();
    this.context = context;
  }

  void received(ConsumerRecords<ByteBuffer, ByteBuffer> records) {
    last = records;
    for (ConsumerRecord<ByteBuffer, ByteBuffer> each : records) {
      if (count(each) > 1) {
        event("redelivered", each, "");
      }
    }
  }

  /** Deliveries that it released. */
  long released() {
    return released;
  }

  /**
   * Acknowledges what was received last, and waits for the brokers' confirmation.
   *
   * @param mayRelease false for the last time: the group may receive nothing again
   */
  void acknowledge(KafkaShareConsumer<ByteBuffer, ByteBuffer> client, boolean mayRelease) {
    if (last.isEmpty()) {
      return;
    }
    ConsumerRecords<ByteBuffer, ByteBuffer> records = last;
    last = ConsumerRecords.empty();
    long releasedNow = 0;
    for (ConsumerRecord<ByteBuffer, ByteBuffer> each : records) {
      boolean release = mayRelease && releases(each);
      if (release) {
        event("released", each, "");
        releasedNow++;
      }
      client.acknowledge(each, release ? AcknowledgeType.RELEASE : AcknowledgeType.ACCEPT);
    }
    released += releasedNow; // one thread writes it
    Map<TopicIdPartition, Optional<KafkaException>> answers;
    try {
      answers = client.commitSync(CONFIRM);
    } catch (KafkaException e) {
      records.forEach(each -> event("unconfirmed", each, ClientErrors.errorClass(e)));
      throw e;
    }
    for (ConsumerRecord<ByteBuffer, ByteBuffer> each : records) {
      answers.entrySet().stream()
          .filter(answer -> answer.getKey().topicPartition().partition() == each.partition())
          .flatMap(answer -> answer.getValue().stream())
          .findFirst()
          .ifPresent(error -> event("unconfirmed", each, ClientErrors.errorClass(error)));
    }
  }

  /** Whether this delivery is released: a pure function of random seed, place and count. */
  private boolean releases(ConsumerRecord<ByteBuffer, ByteBuffer> record) {
    long mixed = (seed + record.partition() * 31L + count(record)) * 0x9e3779b97f4a7c15L;
    mixed = (mixed ^ record.offset()) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ mixed >>> 29) * 0x94d049bb133111ebL;
    return count(record) <= RELEASED_UP_TO && (mixed >>> 11) * 0x1p-53 < ratio;
  }

  private static int count(ConsumerRecord<ByteBuffer, ByteBuffer> record) {
    return record.deliveryCount().orElse((short) 1);
  }

  private void event(String name, ConsumerRecord<ByteBuffer, ByteBuffer> record, String error) {
    context.event(
        EventKinds.SHARE,
        name,
        String.format(
            Locale.ROOT,
            "{\"consumer\":%d,\"subscription\":%d,\"topic\":\"%s\",\"partition\":%d,"
                + "\"offset\":%d,\"count\":%d%s}",
            consumer,
            subscription,
            record.topic(),
            record.partition(),
            record.offset(),
            count(record),
            error.isEmpty() ? "" : ",\"error\":\"" + error + "\""));
  }
}
