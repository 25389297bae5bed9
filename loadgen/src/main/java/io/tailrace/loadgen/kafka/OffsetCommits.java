// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.contract.EventKinds;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;

/** Commits a consumer's positions every 5 s where the client's own commits are disabled. */
final class OffsetCommits {
  private static final long INTERVAL_NANOS = 5_000_000_000L;
  private static final Duration LAST_COMMIT = Duration.ofSeconds(5);

  private final KafkaConsumer<?, ?> client;
  private final boolean manual;
  private final int consumer;
  private final ClientContext context;
  private long lastNanoTime;

  OffsetCommits(
      KafkaConsumer<?, ?> client, Map<String, ?> config, int consumer, ClientContext context) {
    this.client = client;
    this.manual =
        !Boolean.parseBoolean(
            Objects.requireNonNullElse(config.get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG), "true")
                .toString()
                .strip());
    this.consumer = consumer;
    this.context = context;
    this.lastNanoTime = context.clock().nanoTime();
  }

  void commitIfOld() {
    if (!manual || context.clock().nanoTime() - lastNanoTime < INTERVAL_NANOS) {
      return;
    }
    lastNanoTime = context.clock().nanoTime();
    client.commitAsync(
        (offsets, exception) -> {
          if (exception != null) {
            failed(exception);
          }
        });
  }

  /** Commits before the client is closed, and waits 5 s at most. */
  void commitLast() {
    if (!manual) {
      return;
    }
    try {
      client.commitSync(LAST_COMMIT);
    } catch (KafkaException e) {
      failed(e);
    }
  }

  private void failed(Exception exception) {
    context.event(
        EventKinds.ERROR,
        "commit",
        "consumer " + consumer + ": " + exception.getClass().getSimpleName());
  }
}
