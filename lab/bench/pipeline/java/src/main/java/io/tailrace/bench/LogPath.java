// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import io.opentelemetry.api.logs.Logger;
import io.opentelemetry.exporter.otlp.logs.OtlpGrpcLogRecordExporter;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import java.net.URI;
import java.util.concurrent.TimeUnit;

/** One OTLP log record per message through the stock SDK, over gRPC. */
final class LogPath implements EventPath {
  private final SdkLoggerProvider provider;
  private final Logger logger;

  LogPath(URI collector, SdkQueue queue) {
    provider =
        SdkLoggerProvider.builder()
            .setResource(MessageAttributes.resource())
            .addLogRecordProcessor(
                BatchLogRecordProcessor.builder(
                        OtlpGrpcLogRecordExporter.builder()
                            .setEndpoint(collector.toString())
                            .build())
                    .setMaxQueueSize(queue.queue())
                    .setMaxExportBatchSize(queue.batch())
                    .build())
            .build();
    logger = provider.get("bench");
  }

  @Override
  public void acked(Acks ack) {
    logger
        .logRecordBuilder()
        .setTimestamp(ack.ackMicros(), TimeUnit.MICROSECONDS)
        .setAttribute(MessageAttributes.SYSTEM, "kafka")
        .setAttribute(MessageAttributes.OPERATION, "send")
        .setAttribute(MessageAttributes.TOPIC, MessageAttributes.topic(ack.topic()))
        .setAttribute(MessageAttributes.PARTITION, MessageAttributes.partitionId(ack.partition()))
        .setAttribute(MessageAttributes.OFFSET, ack.offset())
        .setAttribute(MessageAttributes.BODY_SIZE, (long) Acks.PAYLOAD_BYTES)
        .setAttribute(MessageAttributes.PRODUCER, 0L)
        .setAttribute(MessageAttributes.INTENDED, ack.intendedMicros())
        .setAttribute(MessageAttributes.DELAY, ack.publishDelayMicros())
        .emit();
  }

  /** The SDK does not count what it drops: the benchmark counts it in ClickHouse. */
  @Override
  public long end() {
    provider.forceFlush().join(60, TimeUnit.SECONDS);
    return 0;
  }
}
