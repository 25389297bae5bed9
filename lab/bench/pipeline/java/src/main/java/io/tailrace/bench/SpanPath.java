// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import java.net.URI;
import java.util.concurrent.TimeUnit;

/** One span per message, from intended send to acknowledgement, through the stock SDK over gRPC. */
final class SpanPath implements EventPath {
  private final SdkTracerProvider provider;
  private final Tracer tracer;

  SpanPath(URI collector, SdkQueue queue) {
    provider =
        SdkTracerProvider.builder()
            .setResource(MessageAttributes.resource())
            .addSpanProcessor(
                BatchSpanProcessor.builder(
                        OtlpGrpcSpanExporter.builder().setEndpoint(collector.toString()).build())
                    .setMaxQueueSize(queue.queue())
                    .setMaxExportBatchSize(queue.batch())
                    .build())
            .build();
    tracer = provider.get("bench");
  }

  @Override
  public void acked(
      int partition, long offset, long intendedMicros, long publishDelayMicros, long ackMicros) {
    tracer
        .spanBuilder("send bench-0")
        .setNoParent()
        .setSpanKind(SpanKind.PRODUCER)
        .setStartTimestamp(intendedMicros, TimeUnit.MICROSECONDS)
        .setAttribute(MessageAttributes.SYSTEM, "kafka")
        .setAttribute(MessageAttributes.OPERATION, "send")
        .setAttribute(MessageAttributes.TOPIC, MessageAttributes.TOPIC_NAME)
        .setAttribute(MessageAttributes.PARTITION, MessageAttributes.partitionId(partition))
        .setAttribute(MessageAttributes.OFFSET, offset)
        .setAttribute(MessageAttributes.BODY_SIZE, (long) SyntheticAcks.PAYLOAD_BYTES)
        .setAttribute(MessageAttributes.PRODUCER, 0L)
        .setAttribute(MessageAttributes.DELAY, publishDelayMicros)
        .startSpan()
        .end(ackMicros, TimeUnit.MICROSECONDS);
  }

  /** The SDK does not count what it drops: the benchmark counts it in ClickHouse. */
  @Override
  public long end() {
    provider.forceFlush().join(60, TimeUnit.SECONDS);
    return 0;
  }
}
