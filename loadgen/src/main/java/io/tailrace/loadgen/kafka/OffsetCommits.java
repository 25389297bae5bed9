// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.record.EventRecorder;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;

/**
 * Commits a consumer's positions now and then, if its configuration says that the client does not.
 */
final class OffsetCommits {
  private static final long INTERVAL_NANOS = 5_000_000_000L;
  private static final Duration LAST = Duration.ofSeconds(5);

  private final KafkaConsumer<?, ?> client;
  private final boolean manual;
  private final int consumer;
  private final NanoClock clock;
  private final EventRecorder events;
  private long lastNanoTime;

  OffsetCommits(
      KafkaConsumer<?, ?> client,
      Map<String, ?> config,
      int consumer,
      NanoClock clock,
      EventRecorder events) {
    this.client = client;
    this.manual =
        !Boolean.parseBoolean(
            Objects.requireNonNullElse(config.get(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG), "true")
                .toString()
                .strip());
    this.consumer = consumer;
    this.clock = clock;
    this.events = events;
    this.lastNanoTime = clock.nanoTime();
  }

  /** Starts a commit if the last one is 5 s old. */
  void maybe() {
    if (!manual || clock.nanoTime() - lastNanoTime < INTERVAL_NANOS) {
      return;
    }
    lastNanoTime = clock.nanoTime();
    client.commitAsync(
        (offsets, exception) -> {
          if (exception != null) {
            failed(exception);
          }
        });
  }

  /** Commits before the client is closed, and waits for it at most 5 s. */
  void last() {
    if (!manual) {
      return;
    }
    try {
      client.commitSync(LAST);
    } catch (KafkaException e) {
      failed(e);
    }
  }

  private void failed(Exception exception) {
    events.event(
        clock.epochMicros(),
        "error",
        "commit",
        "consumer " + consumer + ": " + exception.getClass().getSimpleName());
  }
}
