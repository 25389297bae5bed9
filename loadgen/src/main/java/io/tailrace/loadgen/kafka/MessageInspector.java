// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.payload.TraceContext;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.record.SpanRecorder;
import io.tailrace.loadgen.record.SpanRow;
import java.nio.ByteBuffer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;

/**
 * Inspects the messages that one thread receives: whether each is what was sent, and whether it
 * carries a trace. Only that thread may call it.
 */
final class MessageInspector {
  // Every damaged message is counted; the first ones are also recorded as events.
  private static final int NAMED = 100;

  private final String clientId;
  private final String group;
  private final NanoClock clock;
  private final EventRecorder events;
  private final SpanRecorder spans;
  private final EventCounter corrupt = new EventCounter();

  MessageInspector(String clientId, String group, NanoClock clock, Recorders recorders) {
    this.clientId = clientId;
    this.group = group;
    this.clock = clock;
    this.events = recorders.events();
    this.spans = recorders.spans();
  }

  void check(ConsumerRecord<ByteBuffer, ByteBuffer> record, long receiveMicros) {
    if (!PayloadHeader.isIntact(record.value())) {
      corrupt.add(receiveMicros);
      if (corrupt.count() <= NAMED) {
        events.event(
            receiveMicros,
            EventKinds.CORRUPTION,
            record.topic() + "/" + record.partition(),
            String.format("{\"offset\":%d,\"client\":\"%s\"}", record.offset(), clientId));
      }
    }
  }

  /** Ends the span of a sampled message that has been handled. */
  void done(ConsumerRecord<ByteBuffer, ByteBuffer> record, long receiveMicros) {
    ByteBuffer value = record.value();
    if (!spans.on() || !spans.sampled(PayloadHeader.sequence(value))) {
      return;
    }
    Header header = record.headers().lastHeader(TraceContext.HEADER);
    if (header != null) {
      TraceContext.parse(header.value()).ifPresent(parent -> add(record, parent, receiveMicros));
    }
  }

  private void add(
      ConsumerRecord<ByteBuffer, ByteBuffer> record, TraceContext parent, long receiveMicros) {
    // A message that is received twice gets two spans, which differ in group or time.
    // Hashes of similar group names are neighbours, as times are, and their sums must not collide.
    TraceContext own = parent.child(group.hashCode() * 0x9e3779b97f4a7c15L + receiveMicros);
    spans.add(
        new SpanRow(
            /* publish= */ false,
            new SpanRow.Ids(own.traceId(), own.spanId(), parent.spanId()),
            new SpanRow.Client(clientId, group),
            new SpanRow.Message(
                record.topic(), record.partition(), record.offset(), record.value().remaining()),
            new SpanRow.Times(
                PayloadHeader.intendedMicros(record.value()), receiveMicros, clock.epochMicros()),
            ""));
  }

  /** Messages that are not, byte for byte, what was sent. */
  EventCounter corrupt() {
    return corrupt;
  }
}
