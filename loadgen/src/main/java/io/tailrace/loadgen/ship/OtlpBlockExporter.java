// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.tailrace.loadgen.block.EncodedBlock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Sends one block as one OTLP log record over HTTP, once, and reports the outcome. The SDK's own
 * retries are off: the caller decides when to retry. Thread-safe.
 */
final class OtlpBlockExporter implements AutoCloseable {
  static final AttributeKey<String> RUN_ID = AttributeKey.stringKey("tailrace.run.id");
  static final AttributeKey<Long> WORKER_ID = AttributeKey.longKey("tailrace.worker.id");
  private static final AttributeKey<String> STREAM = AttributeKey.stringKey("tailrace.stream");
  private static final AttributeKey<Long> SEQ = AttributeKey.longKey("tailrace.block.seq");
  private static final AttributeKey<Long> ROWS = AttributeKey.longKey("tailrace.block.rows");
  private static final AttributeKey<String> ENCODING =
      AttributeKey.stringKey("tailrace.block.encoding");
  private static final AttributeKey<String> COLUMNS =
      AttributeKey.stringKey("tailrace.block.columns");

  /**
   * The SDK would log every failed request; this class reports each one to its caller instead. A
   * field, because java.util.logging holds loggers by weak reference only.
   */
  private static final Logger SDK_LOGGER = Logger.getLogger("io.opentelemetry.exporter");

  static {
    SDK_LOGGER.setLevel(Level.OFF);
  }

  enum Answer {
    /** ClickHouse committed the block. */
    COMMITTED,
    /** The collector will never accept the block. */
    REFUSED,
    /** Whether the block is committed is unknown. */
    UNKNOWN
  }

  /** An answer and, unless it is COMMITTED, the reason as text. */
  record Outcome(Answer answer, String reason) {}

  private final OtlpHttpLogRecordExporter exporter;
  private final Resource resource;
  private final String runId;
  private final long worker;

  OtlpBlockExporter(PipelineConfig config, Resource resource, Duration timeout) {
    var builder =
        OtlpHttpLogRecordExporter.builder()
            .setEndpoint(config.signalUrl("logs"))
            .setTimeout(timeout)
            .setRetryPolicy(null);
    config.tls().applyTo(builder::setTrustedCertificates, builder::setClientTls);
    this.exporter = builder.build();
    this.resource = resource;
    this.runId = config.id().runId();
    this.worker = config.id().worker();
  }

  /** Sends the block and passes the outcome to the callback, on any thread. */
  void send(EncodedBlock block, Consumer<Outcome> whenDone) {
    CompletableResultCode result =
        exporter.export(List.of(new BlockLogRecord(resource, attributes(block), block)));
    result.whenComplete(() -> whenDone.accept(outcome(result)));
  }

  private Attributes attributes(EncodedBlock block) {
    return Attributes.builder()
        .put(RUN_ID, runId)
        .put(WORKER_ID, worker)
        .put(STREAM, block.stream())
        .put(SEQ, block.seq())
        .put(ROWS, (long) block.rows())
        .put(ENCODING, "native+zstd")
        .put(COLUMNS, block.head().columns())
        .build();
  }

  private static Outcome outcome(CompletableResultCode result) {
    if (result.isSuccess()) {
      return new Outcome(Answer.COMMITTED, "");
    }
    ExportFailure failure = ExportFailure.of(result);
    return new Outcome(failure.permanent() ? Answer.REFUSED : Answer.UNKNOWN, failure.reason());
  }

  /** Cancels requests in flight; their blocks may still be committed. */
  @Override
  public void close() {
    exporter.shutdown().join(1, TimeUnit.SECONDS);
  }
}
