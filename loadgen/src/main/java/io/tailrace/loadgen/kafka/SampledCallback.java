// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.payload.TraceContext;
import io.tailrace.loadgen.record.SpanRecorder;
import io.tailrace.loadgen.record.SpanRow;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Makes the producer span of a sampled message, and passes the outcome on. */
final class SampledCallback implements Callback {
  private final PublishCallback outcome;
  private final SpanRecorder spans;
  private final NanoClock clock;
  private final TraceContext context;
  private final String clientId;
  private final String topic;
  private final int bytes;
  private final long intendedMicros;
  private final long sendMicros;

  SampledCallback(
      PublishCallback outcome,
      SpanRecorder spans,
      NanoClock clock,
      TraceContext context,
      String clientId,
      String topic,
      int bytes,
      long intendedMicros,
      long sendMicros) {
    this.outcome = outcome;
    this.spans = spans;
    this.clock = clock;
    this.context = context;
    this.clientId = clientId;
    this.topic = topic;
    this.bytes = bytes;
    this.intendedMicros = intendedMicros;
    this.sendMicros = sendMicros;
  }

  @Override
  public void onCompletion(RecordMetadata metadata, Exception exception) {
    outcome.onCompletion(metadata, exception);
    boolean placed = metadata != null && exception == null;
    spans.add(
        new SpanRow(
            /* publish= */ true,
            context.traceId(),
            context.spanId(),
            "",
            clientId,
            "",
            topic,
            metadata == null ? -1 : metadata.partition(),
            placed ? metadata.offset() : -1,
            bytes,
            intendedMicros,
            sendMicros,
            clock.epochMicros(),
            exception == null ? "" : exception.getClass().getSimpleName()));
  }
}
