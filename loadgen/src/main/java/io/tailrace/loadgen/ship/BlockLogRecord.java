// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.Value;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.logs.data.Body;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.resources.Resource;
import io.tailrace.loadgen.block.EncodedBlock;
import java.util.concurrent.TimeUnit;

/**
 * A block as an OpenTelemetry log record: its bytes are the body, and the time of its latest row is
 * the timestamp.
 */
record BlockLogRecord(Resource resource, Attributes attributes, EncodedBlock block)
    implements LogRecordData {
  static final InstrumentationScopeInfo SCOPE =
      InstrumentationScopeInfo.create("io.tailrace.loadgen");

  @Override
  public Resource getResource() {
    return resource;
  }

  @Override
  public InstrumentationScopeInfo getInstrumentationScopeInfo() {
    return SCOPE;
  }

  @Override
  public long getTimestampEpochNanos() {
    return TimeUnit.MICROSECONDS.toNanos(block.toMicros());
  }

  @Override
  public long getObservedTimestampEpochNanos() {
    return getTimestampEpochNanos();
  }

  @Override
  public SpanContext getSpanContext() {
    return SpanContext.getInvalid();
  }

  @Override
  public Severity getSeverity() {
    return Severity.UNDEFINED_SEVERITY_NUMBER;
  }

  @Override
  public String getSeverityText() {
    return null;
  }

  /** Required by the interface; exporters read {@link #getBodyValue}. */
  @Override
  @Deprecated
  public Body getBody() {
    return Body.empty();
  }

  @Override
  public Value<?> getBodyValue() {
    return Value.of(block.bytes());
  }

  @Override
  public Attributes getAttributes() {
    return attributes;
  }

  @Override
  public int getTotalAttributeCount() {
    return attributes.size();
  }
}
