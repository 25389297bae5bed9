// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static io.tailrace.loadgen.collector.ReceivedBlock.attributes;
import static io.tailrace.loadgen.ship.PipelineFixture.ack;
import static io.tailrace.loadgen.ship.PipelineFixture.assertExact;
import static io.tailrace.loadgen.ship.PipelineFixture.start;
import static io.tailrace.loadgen.ship.PipelineFixture.waitUntil;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.proto.metrics.v1.AggregationTemporality;
import io.opentelemetry.proto.metrics.v1.ExponentialHistogram;
import io.opentelemetry.proto.metrics.v1.Metric;
import io.opentelemetry.proto.metrics.v1.NumberDataPoint;
import io.opentelemetry.proto.metrics.v1.ResourceMetrics;
import io.opentelemetry.proto.metrics.v1.Sum;
import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.record.Recorders;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LiveMetricsTest {
  private final Recorders recorders = new Recorders(1 << 28);
  private FakeCollector collector;

  @BeforeEach
  void open() throws IOException {
    collector = new FakeCollector();
  }

  @AfterEach
  void close() {
    collector.close();
  }

  private static Map<String, Metric> byName(ResourceMetrics metrics) {
    return metrics.getScopeMetrics(0).getMetricsList().stream()
        .collect(Collectors.toMap(Metric::getName, metric -> metric));
  }

  @Test
  void everySecondAndAtTheEndAllMetricsAreSent() {
    EventPipeline pipeline = start(collector, recorders);
    ack(recorders.publishes(0, "orders"), 0, 100);
    recorders.deliveries(0, 0, "orders").received(0, 0, 0, 1_000, 2_000, 100, 0, 0);
    waitUntil("two exports", () -> collector.metricRequests().size() >= 2);
    pipeline.finish(List.of(), Duration.ofMinutes(1));

    var requests = collector.metricRequests();
    ResourceMetrics last = requests.get(requests.size() - 1).getResourceMetrics(0);
    assertThat(attributes(last.getResource().getAttributesList()))
        .containsEntry("service.name", "tailrace-loadgen")
        .containsEntry("service.instance.id", "run-1/2")
        .containsEntry("tailrace.run.id", "run-1")
        .containsEntry("tailrace.worker.id", 2L);
    Map<String, Metric> metrics = byName(last);
    assertThat(metrics)
        .containsKeys(
            "tailrace.publish.latency",
            "tailrace.publish.service_time",
            "tailrace.publish.delay",
            "tailrace.end_to_end.latency",
            "tailrace.messages.sent",
            "tailrace.messages.acked",
            "tailrace.messages.failed",
            "tailrace.messages.received",
            "tailrace.events.unshipped");
    Metric publish = metrics.get("tailrace.publish.latency");
    ExponentialHistogram histogram = publish.getExponentialHistogram();
    assertThat(histogram.getAggregationTemporality())
        .isEqualTo(AggregationTemporality.AGGREGATION_TEMPORALITY_CUMULATIVE);
    assertThat(histogram.getDataPoints(0).getCount()).isEqualTo(100);
    assertThat(attributes(histogram.getDataPoints(0).getAttributesList()))
        .containsEntry("messaging.destination.name", "orders");
    assertThat(publish.getUnit()).isEqualTo("s");
    Sum sent = metrics.get("tailrace.messages.sent").getSum();
    assertThat(sent.getIsMonotonic()).isTrue();
    assertThat(sent.getDataPoints(0).getAsInt()).isEqualTo(11);
    NumberDataPoint unshipped =
        metrics.get("tailrace.events.unshipped").getGauge().getDataPoints(0);
    assertThat(unshipped.hasAsInt()).isTrue();
    assertThat(unshipped.getAsInt()).isZero();
  }

  @Test
  void metricsThatFailDisturbNothing() {
    collector.answerMetricsWith(400);
    EventPipeline pipeline = start(collector, recorders);
    ack(recorders.publishes(0, "t"), 0, 100);
    waitUntil("two failed exports", () -> collector.metricRequests().size() >= 2);
    ShipReport report = pipeline.finish(List.of(), Duration.ofMinutes(1));
    assertThat(report.streams().get("publishes").stored()).isEqualTo(100);
    assertThat(report.ledgerCommitted()).isTrue();
    assertExact(collector, report);
  }
}
