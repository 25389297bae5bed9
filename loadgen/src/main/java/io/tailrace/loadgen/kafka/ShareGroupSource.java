// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteBufferDeserializer;

/**
 * Messages of one topic as a share group hands them out, of any partition. The next poll()
 * acknowledges what the last one returned, so after its processing; where some are released, before
 * it fetches, and it waits for the confirmation.
 */
final class ShareGroupSource implements MessageSource {
  private static final Duration CLOSE = Duration.ofSeconds(5);

  private final String topic;
  private final Optional<ShareReleases> releases;
  private final KafkaShareConsumer<ByteBuffer, ByteBuffer> client;

  /** Makes the client from its whole configuration, without deserializers. */
  ShareGroupSource(Map<String, Object> config, String topic, Optional<ShareReleases> releases) {
    this.topic = topic;
    this.releases = releases;
    releases.ifPresent(
        each -> config.put(ConsumerConfig.SHARE_ACKNOWLEDGEMENT_MODE_CONFIG, "explicit"));
    try {
      this.client =
          new KafkaShareConsumer<>(
              config, new ByteBufferDeserializer(), new ByteBufferDeserializer());
    } catch (KafkaException e) {
      throw ClientErrors.refused("consumerConfig", e);
    }
  }

  @Override
  public void open() {
    client.subscribe(List.of(topic));
  }

  @Override
  public ConsumerRecords<ByteBuffer, ByteBuffer> poll(Duration timeout) {
    releases.ifPresent(each -> each.acknowledge(client, true));
    ConsumerRecords<ByteBuffer, ByteBuffer> records = client.poll(timeout);
    releases.ifPresent(each -> each.received(records));
    return records;
  }

  @Override
  public void taken(ConsumerRecords<ByteBuffer, ByteBuffer> records) {}

  @Override
  public boolean pollAcknowledges() {
    return true;
  }

  /** A share consumer cannot be paused; the planner refuses a backlog for it. */
  @Override
  public void pause(boolean paused) {
    throw new UnsupportedOperationException("a share group cannot be paused");
  }

  /** A share group reports no assignment. */
  @Override
  public Set<Integer> ready() {
    return Set.of();
  }

  /** Messages are handed out in no order, so no offset shows that all below it is done. */
  @Override
  public long position(int partition) {
    return 0;
  }

  @Override
  public long released() {
    return releases.map(ShareReleases::released).orElse(0L);
  }

  @Override
  public void commit() {
    releases.ifPresentOrElse(
        each -> each.acknowledge(client, false), () -> client.commitSync(CLOSE));
  }

  @Override
  public void close() {
    client.close(CLOSE);
  }
}
