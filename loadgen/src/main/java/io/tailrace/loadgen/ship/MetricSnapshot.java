// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.resources.Resource;
import io.tailrace.loadgen.block.LiveHistograms;
import io.tailrace.loadgen.contract.Stage;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Builds the live metrics of one moment, cumulative since this object was created. */
final class MetricSnapshot {
  private static final AttributeKey<String> TOPIC =
      AttributeKey.stringKey("messaging.destination.name");

  private final Resource resource;
  private final LiveHistograms histograms;
  private final LiveCounters counters;
  private final LongSupplier unshipped;
  private final long startNanos = epochNanos();
  private final ProcessHealth health;

  MetricSnapshot(
      Resource resource,
      LiveHistograms histograms,
      LiveCounters counters,
      LongSupplier unshipped,
      ProcessHealth health) {
    this.resource = resource;
    this.histograms = histograms;
    this.counters = counters;
    this.unshipped = unshipped;
    this.health = health;
  }

  private static long epochNanos() {
    return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
  }

  /** All metrics; stages without events are left out. */
  List<MetricData> take() {
    MetricBatch batch = new MetricBatch(resource, startNanos, epochNanos());
    for (Stage stage : Stage.values()) {
      batch.histograms(
          name(stage),
          description(stage),
          TOPIC,
          visitor -> histograms.forEachTopic(stage, visitor));
    }
    addCounter(batch, "sent", "Messages handed to the Kafka client", counters.sent());
    addCounter(batch, "acked", "Messages acknowledged by the broker", counters.acked());
    addCounter(batch, "failed", "Messages that producers gave up on", counters.failed());
    addCounter(batch, "received", "Messages received by consumers", counters.received());
    batch.gauge(
        "tailrace.events.unshipped",
        "Recorded events not yet known to be committed",
        "{event}",
        unshipped.getAsLong());
    HealthMetrics.add(batch, health);
    return batch.metrics();
  }

  private static void addCounter(
      MetricBatch batch, String what, String description, LongSupplier count) {
    batch.sum("tailrace.messages." + what, description, "{message}", count.getAsLong());
  }

  private static String name(Stage stage) {
    return switch (stage) {
      case PUBLISH -> "tailrace.publish.latency";
      case PUBLISH_SERVICE -> "tailrace.publish.service_time";
      case PUBLISH_DELAY -> "tailrace.publish.delay";
      case END_TO_END -> "tailrace.end_to_end.latency";
    };
  }

  private static String description(Stage stage) {
    return switch (stage) {
      case PUBLISH -> "Acknowledgement minus intended send";
      case PUBLISH_SERVICE -> "Acknowledgement minus actual send";
      case PUBLISH_DELAY -> "Actual minus intended send";
      case END_TO_END -> "Receipt minus intended send";
    };
  }
}
