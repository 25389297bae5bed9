// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.opentelemetry.api.common.AttributeKey;

/** {@link ProcessHealth} as metrics, by OpenTelemetry's JVM conventions where there is a name. */
final class HealthMetrics {
  private static final AttributeKey<String> COLLECTOR = AttributeKey.stringKey("jvm.gc.name");

  private HealthMetrics() {}

  static void add(MetricBatch batch, ProcessHealth health) {
    batch.histograms("jvm.gc.duration", "Pauses for garbage collection", COLLECTOR, health::pauses);
    health.lag(
        lag ->
            batch.histogram(
                "tailrace.loader.scheduling.lag", "How late a thread that slept came to run", lag));
    batch.gauge(
        "tailrace.loader.scheduling.lag.max",
        "Longest scheduling lag since the last point",
        "s",
        health.longestLagSeconds());
    batch.gauge(
        "tailrace.loader.gc.pause.max",
        "Longest garbage collection pause since the last point",
        "s",
        health.longestPauseSeconds());
    batch.gauge("jvm.memory.used", "Heap in use", "By", (double) ProcessHealth.heapBytes());
    batch.sum("jvm.cpu.time", "CPU time of the load generator", "s", ProcessHealth.cpuSeconds());
  }
}
