// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.Data;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.ExponentialHistogramData;
import io.opentelemetry.sdk.metrics.data.ExponentialHistogramPointData;
import io.opentelemetry.sdk.metrics.data.GaugeData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.data.SumData;
import io.opentelemetry.sdk.resources.Resource;
import java.util.ArrayList;
import java.util.List;

/**
 * Turns {@link ProcessHealth} into metrics, named by OpenTelemetry's JVM conventions where they
 * define a name.
 */
final class HealthMetrics {
  private static final AttributeKey<String> COLLECTOR = AttributeKey.stringKey("jvm.gc.name");

  private final Resource resource;
  private final ProcessHealth health;
  private final long startNanos;

  HealthMetrics(Resource resource, ProcessHealth health, long startNanos) {
    this.resource = resource;
    this.health = health;
    this.startNanos = startNanos;
  }

  void addTo(List<MetricData> metrics, long now) {
    List<ExponentialHistogramPointData> pauses = new ArrayList<>();
    health.pauses(
        (collector, histogram) ->
            pauses.add(
                ExponentialBuckets.point(
                    histogram, Attributes.of(COLLECTOR, collector), startNanos, now)));
    if (!pauses.isEmpty()) {
      metrics.add(histogram("jvm.gc.duration", "Pauses for garbage collection", pauses));
    }
    List<ExponentialHistogramPointData> lag = new ArrayList<>();
    health.lag(
        (none, histogram) ->
            lag.add(ExponentialBuckets.point(histogram, Attributes.empty(), startNanos, now)));
    metrics.add(
        histogram(
            "tailrace.loader.scheduling.lag", "How late a thread that slept came to run", lag));
    metrics.add(
        gauge(
            "tailrace.loader.scheduling.lag.max",
            "Longest scheduling lag since the last point",
            "s",
            health.longestLagSeconds(),
            now));
    metrics.add(
        gauge(
            "tailrace.loader.gc.pause.max",
            "Longest garbage collection pause since the last point",
            "s",
            health.longestPauseSeconds(),
            now));
    metrics.add(gauge("jvm.memory.used", "Heap in use", "By", ProcessHealth.heapBytes(), now));
    metrics.add(
        new OtlpMetric(
            resource,
            "jvm.cpu.time",
            "CPU time of the load generator",
            "s",
            MetricDataType.DOUBLE_SUM,
            SumData.createDoubleSumData(
                /* isMonotonic= */ true,
                AggregationTemporality.CUMULATIVE,
                List.of(point(ProcessHealth.cpuSeconds(), now)))));
  }

  private MetricData histogram(
      String name, String description, List<ExponentialHistogramPointData> points) {
    Data<?> data =
        ExponentialHistogramData.create(AggregationTemporality.CUMULATIVE, List.copyOf(points));
    return new OtlpMetric(
        resource, name, description, "s", MetricDataType.EXPONENTIAL_HISTOGRAM, data);
  }

  private MetricData gauge(String name, String description, String unit, double value, long now) {
    Data<?> data = GaugeData.createDoubleGaugeData(List.of(point(value, now)));
    return new OtlpMetric(resource, name, description, unit, MetricDataType.DOUBLE_GAUGE, data);
  }

  private DoublePointData point(double value, long now) {
    return DoublePointData.create(startNanos, now, Attributes.empty(), value, List.of());
  }
}
