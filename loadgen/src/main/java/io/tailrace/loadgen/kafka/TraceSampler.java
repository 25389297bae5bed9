// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.payload.TraceContext;
import io.tailrace.loadgen.record.SpanRecorder;
import io.tailrace.loadgen.record.SpanRow;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Gives one in every N messages of a producer a trace context, and records its producer span. Other
 * messages are left unchanged.
 */
record TraceSampler(
    String runId, int producer, String clientId, SpanRecorder spans, NanoClock clock) {

  void send(
      Producer<byte[], byte[]> client,
      ProducerRecord<byte[], byte[]> record,
      PublishCallback outcome,
      long sequence,
      long intendedMicros,
      long sendMicros) {
    if (spans.sampled(sequence)) {
      Callback callback = callback(outcome, record, sequence, intendedMicros, sendMicros);
      client.send(traced(record, sequence), callback);
    } else {
      client.send(record, outcome);
    }
  }

  private ProducerRecord<byte[], byte[]> traced(
      ProducerRecord<byte[], byte[]> record, long sequence) {
    ProducerRecord<byte[], byte[]> traced =
        new ProducerRecord<>(
            record.topic(),
            record.partition(),
            record.timestamp(),
            record.key(),
            record.value(),
            record.headers());
    traced.headers().add(TraceContext.HEADER, context(sequence).header());
    return traced;
  }

  /** Passes the outcome on and ends the span. */
  private Callback callback(
      PublishCallback outcome,
      ProducerRecord<byte[], byte[]> record,
      long sequence,
      long intendedMicros,
      long sendMicros) {
    String topic = record.topic();
    int bytes = record.value().length;
    return (metadata, exception) -> {
      outcome.onCompletion(metadata, exception);
      TraceContext context = context(sequence);
      spans.add(
          new SpanRow(
              /* publish= */ true,
              new SpanRow.Ids(context.traceId(), context.spanId(), ""),
              new SpanRow.Client(clientId, ""),
              new SpanRow.Message(
                  topic,
                  metadata == null ? -1 : metadata.partition(),
                  offset(metadata, exception),
                  bytes),
              new SpanRow.Times(intendedMicros, sendMicros, clock.epochMicros()),
              exception == null ? "" : exception.getClass().getSimpleName()));
    };
  }

  private static long offset(RecordMetadata metadata, Exception exception) {
    return metadata == null || exception != null ? -1 : metadata.offset();
  }

  private TraceContext context(long sequence) {
    return TraceContext.of(runId, producer, sequence);
  }
}
