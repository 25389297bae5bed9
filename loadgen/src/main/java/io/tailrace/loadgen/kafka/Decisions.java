// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * What one worker has decided for all of a run, kept by the brokers: the committed offset of a
 * group that nobody joins, with a text beside it. Only the latest is kept.
 */
public final class Decisions {
  private static final Duration REQUEST = Duration.ofSeconds(5);

  private final Admin client;
  private final String group;
  private final TopicPartition place;

  Decisions(Admin client, String group, TopicPartition place) {
    this.client = client;
    this.group = group;
    this.place = place;
  }

  /**
   * A decision.
   *
   * @param number counts up, from 1
   * @param text what was decided
   */
  public record Decision(long number, String text) {}

  /** Whether the brokers have taken it. */
  public boolean write(Decision decision) throws InterruptedException {
    OffsetAndMetadata offset =
        new OffsetAndMetadata(decision.number(), Optional.empty(), decision.text());
    try {
      client
          .alterConsumerGroupOffsets(group, Map.of(place, offset))
          .all()
          .get(REQUEST.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (ExecutionException | TimeoutException e) {
      return false;
    }
  }

  /** The latest one; empty where there is none, or the brokers do not answer. */
  public Optional<Decision> latest() throws InterruptedException {
    try {
      OffsetAndMetadata found =
          client
              .listConsumerGroupOffsets(group)
              .partitionsToOffsetAndMetadata()
              .get(REQUEST.toMillis(), TimeUnit.MILLISECONDS)
              .get(place);
      return Optional.ofNullable(found).map(f -> new Decision(f.offset(), f.metadata()));
    } catch (ExecutionException | TimeoutException e) {
      return Optional.empty();
    }
  }
}
