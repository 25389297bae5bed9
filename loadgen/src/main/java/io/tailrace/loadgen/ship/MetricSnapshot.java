// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.ExponentialHistogramData;
import io.opentelemetry.sdk.metrics.data.ExponentialHistogramPointData;
import io.opentelemetry.sdk.metrics.data.GaugeData;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.data.SumData;
import io.opentelemetry.sdk.resources.Resource;
import io.tailrace.loadgen.block.LiveHistograms;
import io.tailrace.loadgen.contract.Stage;
import java.util.ArrayList;
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
  private final HealthMetrics health;

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
    this.health = new HealthMetrics(resource, health, startNanos);
  }

  private static long epochNanos() {
    return TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
  }

  /** All metrics; stages without events are left out. */
  List<MetricData> take() {
    long now = epochNanos();
    List<MetricData> metrics = new ArrayList<>();
    for (Stage stage : Stage.values()) {
      addHistogram(metrics, stage, now);
    }
    addCounter(
        metrics, "sent", "Messages handed to the Kafka client", counters.sent().getAsLong(), now);
    addCounter(
        metrics, "acked", "Messages acknowledged by the broker", counters.acked().getAsLong(), now);
    addCounter(
        metrics,
        "failed",
        "Messages that producers gave up on",
        counters.failed().getAsLong(),
        now);
    addCounter(
        metrics,
        "received",
        "Messages received by consumers",
        counters.received().getAsLong(),
        now);
    metrics.add(
        new OtlpMetric(
            resource,
            "tailrace.events.unshipped",
            "Recorded events not yet known to be committed",
            "{event}",
            MetricDataType.LONG_GAUGE,
            GaugeData.createLongGaugeData(List.of(point(unshipped.getAsLong(), now)))));
    health.addTo(metrics, now);
    return metrics;
  }

  private void addHistogram(List<MetricData> metrics, Stage stage, long now) {
    List<ExponentialHistogramPointData> points = new ArrayList<>();
    histograms.forEachTopic(
        stage,
        (topic, histogram) ->
            points.add(
                ExponentialBuckets.point(histogram, Attributes.of(TOPIC, topic), startNanos, now)));
    if (!points.isEmpty()) {
      metrics.add(
          new OtlpMetric(
              resource,
              name(stage),
              description(stage),
              "s",
              MetricDataType.EXPONENTIAL_HISTOGRAM,
              ExponentialHistogramData.create(AggregationTemporality.CUMULATIVE, points)));
    }
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

  private void addCounter(
      List<MetricData> metrics, String what, String description, long value, long now) {
    metrics.add(
        new OtlpMetric(
            resource,
            "tailrace.messages." + what,
            description,
            "{message}",
            MetricDataType.LONG_SUM,
            SumData.createLongSumData(
                /* isMonotonic= */ true,
                AggregationTemporality.CUMULATIVE,
                List.of(point(value, now)))));
  }

  private LongPointData point(long value, long now) {
    return LongPointData.create(startNanos, now, Attributes.empty(), value);
  }
}
