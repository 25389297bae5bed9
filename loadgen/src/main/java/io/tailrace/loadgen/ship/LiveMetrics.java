// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.tailrace.loadgen.block.LiveHistograms;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends live latencies and counts by OTLP once a second. They are a view of the run, not its
 * record: a failed export is counted and not retried, because the values are cumulative and the
 * next export contains them. No other thread waits for an export.
 */
final class LiveMetrics {
  private static final Logger LOG = LoggerFactory.getLogger(LiveMetrics.class);
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final OtlpHttpMetricExporter exporter;
  private final ProcessHealth health = new ProcessHealth();
  private final MetricSnapshot snapshot;
  private final AtomicBoolean busy = new AtomicBoolean();
  private final AtomicLong failed = new AtomicLong();
  private volatile boolean closed;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "tailrace-metrics");
            thread.setDaemon(true);
            return thread;
          });

  LiveMetrics(
      PipelineConfig config, Resource resource, LiveHistograms histograms, LongSupplier unshipped) {
    var builder =
        OtlpHttpMetricExporter.builder()
            .setEndpoint(config.signalUrl("metrics"))
            .setTimeout(TIMEOUT)
            .setRetryPolicy(null);
    config.tls().applyTo(builder::setTrustedCertificates, builder::setClientTls);
    exporter = builder.build();
    snapshot = new MetricSnapshot(resource, histograms, config.counters(), unshipped, health);
  }

  void start() {
    timer.scheduleAtFixedRate(this::export, 1, 1, TimeUnit.SECONDS);
  }

  private CompletableResultCode export() {
    if (!busy.compareAndSet(false, true)) {
      return CompletableResultCode.ofSuccess();
    }
    try {
      CompletableResultCode result = exporter.export(snapshot.take());
      result.whenComplete(
          () -> {
            busy.set(false);
            if (!result.isSuccess()) {
              failed(ExportFailure.of(result).reason());
            }
          });
      return result;
    } catch (RuntimeException e) {
      busy.set(false);
      failed(e.toString());
      return CompletableResultCode.ofFailure();
    }
  }

  private void failed(String reason) {
    if (failed.getAndIncrement() == 0 && !closed) {
      LOG.warn("live metrics cannot be sent; the run continues without them: {}", reason);
    }
  }

  /** Sends the last values and stops before the deadline, a reading of {@link System#nanoTime}. */
  void close(long deadlineNanos) {
    timer.shutdown();
    long left = Math.min(TIMEOUT.toNanos(), deadlineNanos - System.nanoTime());
    if (left > 0) {
      export().join(left, TimeUnit.NANOSECONDS);
    }
    if (failed.get() > 0) {
      LOG.warn("{} exports of live metrics failed", failed.get());
    }
    closed = true;
    health.close();
    exporter.shutdown();
  }
}
