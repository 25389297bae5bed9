// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.tailrace.loadgen.contract.LossReasons;
import io.tailrace.loadgen.record.SpanRecorder;
import io.tailrace.loadgen.record.SpanRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/**
 * Sends the spans of sampled messages by OTLP once a second. Each batch is sent once: spans are a
 * sample of messages that the tables contain in full, so a rejected batch is only counted.
 */
public final class SpanPipeline {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final int BATCH = 2048;

  /** How many spans were stored and lost. */
  public record Report(long recorded, long stored, long lost, String reason) {}

  private final SpanRecorder spans;
  private final Resource resource;
  private final OtlpHttpSpanExporter exporter;
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(
          task -> {
            Thread thread = new Thread(task, "tailrace-spans");
            thread.setDaemon(true);
            return thread;
          });
  private volatile long stored;
  private volatile String reason = "";

  private SpanPipeline(PipelineConfig config, SpanRecorder spans) {
    this.spans = spans;
    this.resource = EventPipeline.resource(config);
    var builder =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(config.signalUrl("traces"))
            .setTimeout(TIMEOUT)
            .setRetryPolicy(null);
    config.tls().applyTo(builder::setTrustedCertificates, builder::setClientTls);
    this.exporter = builder.build();
  }

  /** Starts to read the recorder; does nothing if no message is sampled. */
  public static SpanPipeline start(PipelineConfig config, SpanRecorder spans) {
    SpanPipeline pipeline = new SpanPipeline(config, spans);
    if (spans.on()) {
      pipeline.timer.scheduleWithFixedDelay(pipeline::sendAll, 1, 1, TimeUnit.SECONDS);
    }
    return pipeline;
  }

  /** Sends the remaining spans and stops; takes at most 20 s. No span may be added afterwards. */
  public Report finish() {
    timer.execute(this::sendAll);
    timer.shutdown();
    boolean interrupted = false;
    try {
      timer.awaitTermination(2 * TIMEOUT.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    }
    exporter.shutdown();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    String why = spans.lost() > 0 && reason.isEmpty() ? LossReasons.RECORDER_FULL : reason;
    return new Report(spans.recorded(), stored, spans.recorded() - stored, why);
  }

  private void sendAll() {
    List<SpanRow> rows = new ArrayList<>(BATCH);
    while (spans.drainTo(rows, BATCH) > 0) {
      send(rows.stream().map(row -> (SpanData) MessageSpan.of(resource, row)).toList());
      rows.clear();
    }
  }

  private void send(List<SpanData> batch) {
    CompletableResultCode result = exporter.export(batch);
    result.join(TIMEOUT.toMillis() + 1000, TimeUnit.MILLISECONDS);
    if (result.isSuccess()) {
      stored += batch.size();
    } else {
      reason = ExportFailure.of(result).reason();
    }
  }
}
