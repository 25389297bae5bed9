// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.resources.Resource;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ProcessHealthTest {
  @Test
  void aGarbageCollectionIsMeasuredAndTheLongestPauseReportedOnce() throws InterruptedException {
    try (ProcessHealth health = new ProcessHealth()) {
      long deadline = System.nanoTime() + 20_000_000_000L;
      while (pauses(health) == 0 && System.nanoTime() < deadline) {
        System.gc();
        Thread.sleep(20);
      }
      assertThat(pauses(health)).isPositive();
      health.recordPause("Test", 40_000_000);
      assertThat(health.longestPauseSeconds()).isEqualTo(40);
      assertThat(health.longestPauseSeconds()).isLessThan(40);
      health.recordLag(50_000_000);
      assertThat(health.longestLagSeconds()).isEqualTo(50);
    }
  }

  private static long pauses(ProcessHealth health) {
    AtomicLong count = new AtomicLong();
    health.pauses((name, histogram) -> count.addAndGet(histogram.count()));
    return count.get();
  }

  @Test
  void metricsHaveTheNamesOfTheConventions() {
    try (ProcessHealth health = new ProcessHealth()) {
      health.recordPause("G1 Young Generation", 12_000);
      health.recordLag(300);
      MetricBatch metrics = new MetricBatch(Resource.empty(), 1, 2);
      HealthMetrics.add(metrics, health);
      assertThat(metrics.metrics())
          .extracting(MetricData::getName)
          .containsExactly(
              "jvm.gc.duration",
              "tailrace.loader.scheduling.lag",
              "tailrace.loader.scheduling.lag.max",
              "tailrace.loader.gc.pause.max",
              "jvm.memory.used",
              "jvm.cpu.time");
    }
  }
}
