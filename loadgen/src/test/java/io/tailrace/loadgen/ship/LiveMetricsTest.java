// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static io.tailrace.loadgen.ship.PipelineFixture.ack;
import static io.tailrace.loadgen.ship.PipelineFixture.assertExact;
import static io.tailrace.loadgen.ship.PipelineFixture.start;
import static io.tailrace.loadgen.ship.PipelineFixture.waitUntil;
import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.record.Recorders;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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

  /** ExportMetricsServiceRequest → ResourceMetrics → ScopeMetrics → Metric, by name. */
  private static Map<String, Proto> metrics(byte[] request) {
    Map<String, Proto> byName = new HashMap<>();
    for (Proto metric : new Proto(request).one(1).one(2).all(2)) {
      byName.put(metric.text(1), metric);
    }
    return byName;
  }

  @Test
  void everySecondAndAtTheEndAllMetricsAreSent() {
    EventPipeline pipeline = start(collector, recorders);
    ack(recorders.publishes(0, "orders"), 0, 100);
    recorders.deliveries(0, 0, "orders").received(0, 0, 0, 1_000, 2_000, 100);
    waitUntil("two exports", () -> collector.metricRequests().size() >= 2);
    pipeline.finish(List.of(), Duration.ofMinutes(1));

    byte[] last = collector.metricRequests().get(collector.metricRequests().size() - 1);
    assertThat(new Proto(last).one(1).one(1).attributes(1))
        .containsEntry("service.name", "tailrace-loadgen")
        .containsEntry("service.instance.id", "run-1/2")
        .containsEntry("tailrace.run.id", "run-1")
        .containsEntry("tailrace.worker.id", 2L);
    Map<String, Proto> metrics = metrics(last);
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
    Proto histogram = metrics.get("tailrace.publish.latency").one(10);
    assertThat(histogram.number(2)).as("cumulative").isEqualTo(2);
    assertThat(histogram.one(1).number(4)).as("count").isEqualTo(100);
    assertThat(histogram.one(1).attributes(1))
        .containsEntry("messaging.destination.name", "orders");
    assertThat(metrics.get("tailrace.publish.latency").text(3)).as("unit").isEqualTo("s");
    Proto sent = metrics.get("tailrace.messages.sent").one(7);
    assertThat(sent.number(3)).as("monotonic").isEqualTo(1);
    assertThat(sent.one(1).number(6)).isEqualTo(11);
    assertThat(metrics.get("tailrace.events.unshipped").one(5).one(1).number(6)).isZero();
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
