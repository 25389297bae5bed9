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
  public void acked(Acks ack) {
    tracer
        .spanBuilder(MessageAttributes.spanName(ack.topic()))
        .setNoParent()
        .setSpanKind(SpanKind.PRODUCER)
        .setStartTimestamp(ack.intendedMicros(), TimeUnit.MICROSECONDS)
        .setAttribute(MessageAttributes.SYSTEM, "kafka")
        .setAttribute(MessageAttributes.OPERATION, "send")
        .setAttribute(MessageAttributes.TOPIC, MessageAttributes.topic(ack.topic()))
        .setAttribute(MessageAttributes.PARTITION, MessageAttributes.partitionId(ack.partition()))
        .setAttribute(MessageAttributes.OFFSET, ack.offset())
        .setAttribute(MessageAttributes.BODY_SIZE, (long) Acks.PAYLOAD_BYTES)
        .setAttribute(MessageAttributes.PRODUCER, 0L)
        .setAttribute(MessageAttributes.DELAY, ack.publishDelayMicros())
        .startSpan()
        .end(ack.ackMicros(), TimeUnit.MICROSECONDS);
  }

  /** The SDK does not count what it drops: the benchmark counts it in ClickHouse. */
  @Override
  public long end() {
    provider.forceFlush().join(60, TimeUnit.SECONDS);
    return 0;
  }
}
