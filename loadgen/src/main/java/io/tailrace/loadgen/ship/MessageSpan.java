// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.LinkData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.data.StatusData;
import io.tailrace.loadgen.record.SpanRow;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A sampled message's span in the form that OpenTelemetry's exporter requires. Names and attributes
 * follow the semantic conventions for messaging.
 */
record MessageSpan(Resource resource, SpanRow row, Attributes attributes) implements SpanData {
  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  private static final AttributeKey<String> TOPIC =
      AttributeKey.stringKey("messaging.destination.name");
  private static final AttributeKey<String> PARTITION =
      AttributeKey.stringKey("messaging.destination.partition.id");
  private static final AttributeKey<String> OPERATION =
      AttributeKey.stringKey("messaging.operation.name");
  private static final AttributeKey<String> OPERATION_TYPE =
      AttributeKey.stringKey("messaging.operation.type");
  private static final AttributeKey<String> CLIENT = AttributeKey.stringKey("messaging.client.id");
  private static final AttributeKey<String> GROUP =
      AttributeKey.stringKey("messaging.consumer.group.name");
  private static final AttributeKey<Long> OFFSET = AttributeKey.longKey("messaging.kafka.offset");
  private static final AttributeKey<Long> BODY_SIZE =
      AttributeKey.longKey("messaging.message.body.size");
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
  private static final AttributeKey<Long> SINCE_INTENDED =
      AttributeKey.longKey("tailrace.since_intended_us");

  static MessageSpan of(Resource resource, SpanRow row) {
    AttributesBuilder all =
        Attributes.builder()
            .put(SYSTEM, "kafka")
            .put(TOPIC, row.message().topic())
            .put(OPERATION, operation(row))
            .put(OPERATION_TYPE, operation(row))
            .put(CLIENT, row.client().id())
            .put(BODY_SIZE, (long) row.message().bytes())
            .put(SINCE_INTENDED, row.times().startMicros() - row.times().intendedMicros());
    if (row.message().partition() >= 0) {
      all.put(PARTITION, Integer.toString(row.message().partition()));
    }
    if (row.message().offset() >= 0) {
      all.put(OFFSET, row.message().offset());
    }
    if (!row.client().group().isEmpty()) {
      all.put(GROUP, row.client().group());
    }
    if (!row.error().isEmpty()) {
      all.put(ERROR, row.error());
    }
    return new MessageSpan(resource, row, all.build());
  }

  private static String operation(SpanRow row) {
    return row.publish() ? "send" : "process";
  }

  @Override
  public String getName() {
    return operation(row) + " " + row.message().topic();
  }

  @Override
  public SpanKind getKind() {
    return row.publish() ? SpanKind.PRODUCER : SpanKind.CONSUMER;
  }

  @Override
  public SpanContext getSpanContext() {
    return context(row.ids().spanId());
  }

  @Override
  public SpanContext getParentSpanContext() {
    return row.ids().parentSpanId().isEmpty()
        ? SpanContext.getInvalid()
        : context(row.ids().parentSpanId());
  }

  private SpanContext context(String spanId) {
    return SpanContext.create(
        row.ids().traceId(), spanId, TraceFlags.getSampled(), TraceState.getDefault());
  }

  @Override
  public StatusData getStatus() {
    return row.error().isEmpty()
        ? StatusData.unset()
        : StatusData.create(StatusCode.ERROR, row.error());
  }

  @Override
  public long getStartEpochNanos() {
    return TimeUnit.MICROSECONDS.toNanos(row.times().startMicros());
  }

  @Override
  public long getEndEpochNanos() {
    return TimeUnit.MICROSECONDS.toNanos(row.times().endMicros());
  }

  @Override
  public Attributes getAttributes() {
    return attributes;
  }

  @Override
  public List<EventData> getEvents() {
    return List.of();
  }

  @Override
  public List<LinkData> getLinks() {
    return List.of();
  }

  @Override
  public boolean hasEnded() {
    return true;
  }

  @Override
  public int getTotalRecordedEvents() {
    return 0;
  }

  @Override
  public int getTotalRecordedLinks() {
    return 0;
  }

  @Override
  public int getTotalAttributeCount() {
    return attributes.size();
  }

  @Override
  public InstrumentationScopeInfo getInstrumentationScopeInfo() {
    return BlockLogRecord.SCOPE;
  }

  @Override
  @SuppressWarnings({"deprecation", "InlineMeSuggester"}) // the interface still requires it
  public io.opentelemetry.sdk.common.InstrumentationLibraryInfo getInstrumentationLibraryInfo() {
    return io.opentelemetry.sdk.common.InstrumentationLibraryInfo.empty();
  }

  @Override
  public Resource getResource() {
    return resource;
  }
}
