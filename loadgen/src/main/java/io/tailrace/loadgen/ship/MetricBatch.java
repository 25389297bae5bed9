// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.metrics.data.AggregationTemporality;
import io.opentelemetry.sdk.metrics.data.Data;
import io.opentelemetry.sdk.metrics.data.DoublePointData;
import io.opentelemetry.sdk.metrics.data.ExponentialHistogramData;
import io.opentelemetry.sdk.metrics.data.ExponentialHistogramPointData;
import io.opentelemetry.sdk.metrics.data.GaugeData;
import io.opentelemetry.sdk.metrics.data.LongPointData;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.metrics.data.MetricDataType;
import io.opentelemetry.sdk.metrics.data.SumData;
import io.opentelemetry.sdk.resources.Resource;
import io.tailrace.loadgen.block.LatencyHistogram;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * The metrics of one moment in the form that OpenTelemetry's exporter requires, made from our own
 * counts and histograms without the SDK's instruments.
 */
final class MetricBatch {
  private final Resource resource;
  private final long startNanos;
  private final long nowNanos;
  private final List<MetricData> metrics = new ArrayList<>();

  private record Metric(
      Resource resource,
      String name,
      String description,
      String unit,
      MetricDataType type,
      Data<?> data)
      implements MetricData {
    @Override
    public Resource getResource() {
      return resource;
    }

    @Override
    public InstrumentationScopeInfo getInstrumentationScopeInfo() {
      return BlockLogRecord.SCOPE;
    }

    @Override
    public String getName() {
      return name;
    }

    @Override
    public String getDescription() {
      return description;
    }

    @Override
    public String getUnit() {
      return unit;
    }

    @Override
    public MetricDataType getType() {
      return type;
    }

    @Override
    public Data<?> getData() {
      return data;
    }
  }

  /** Sums and histograms are cumulative since {@code startNanos}. */
  MetricBatch(Resource resource, long startNanos, long nowNanos) {
    this.resource = resource;
    this.startNanos = startNanos;
    this.nowNanos = nowNanos;
  }

  List<MetricData> metrics() {
    return metrics;
  }

  /** Adds the histograms that the visit shows, by the value of an attribute, if there are any. */
  void histograms(
      String name,
      String description,
      AttributeKey<String> by,
      Consumer<BiConsumer<String, LatencyHistogram>> visit) {
    List<ExponentialHistogramPointData> points = new ArrayList<>();
    visit.accept((value, histogram) -> points.add(point(histogram, Attributes.of(by, value))));
    if (!points.isEmpty()) {
      histogram(name, description, points);
    }
  }

  void histogram(String name, String description, LatencyHistogram histogram) {
    histogram(name, description, List.of(point(histogram, Attributes.empty())));
  }

  private void histogram(
      String name, String description, List<ExponentialHistogramPointData> points) {
    add(
        name,
        description,
        "s",
        MetricDataType.EXPONENTIAL_HISTOGRAM,
        ExponentialHistogramData.create(AggregationTemporality.CUMULATIVE, points));
  }

  private ExponentialHistogramPointData point(LatencyHistogram histogram, Attributes attributes) {
    return ExponentialBuckets.point(histogram, attributes, startNanos, nowNanos);
  }

  void sum(String name, String description, String unit, long value) {
    var data =
        SumData.createLongSumData(
            /* isMonotonic= */ true, AggregationTemporality.CUMULATIVE, List.of(point(value)));
    add(name, description, unit, MetricDataType.LONG_SUM, data);
  }

  void sum(String name, String description, String unit, double value) {
    var data =
        SumData.createDoubleSumData(
            /* isMonotonic= */ true, AggregationTemporality.CUMULATIVE, List.of(point(value)));
    add(name, description, unit, MetricDataType.DOUBLE_SUM, data);
  }

  void gauge(String name, String description, String unit, long value) {
    var data = GaugeData.createLongGaugeData(List.of(point(value)));
    add(name, description, unit, MetricDataType.LONG_GAUGE, data);
  }

  void gauge(String name, String description, String unit, double value) {
    var data = GaugeData.createDoubleGaugeData(List.of(point(value)));
    add(name, description, unit, MetricDataType.DOUBLE_GAUGE, data);
  }

  private LongPointData point(long value) {
    return LongPointData.create(startNanos, nowNanos, Attributes.empty(), value);
  }

  private DoublePointData point(double value) {
    return DoublePointData.create(startNanos, nowNanos, Attributes.empty(), value, List.of());
  }

  private void add(
      String name, String description, String unit, MetricDataType type, Data<?> data) {
    metrics.add(new Metric(resource, name, description, unit, type, data));
  }
}
