// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.record.DeliveryRecorder;
import java.nio.ByteBuffer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Counts and records the messages that one thread receives. */
final class Receiver {
  /** Producer number of a message that another program wrote. */
  static final int NO_PRODUCER = -1;

  private final DeliveryRecorder deliveries;
  private final MessageInspector inspector;
  private final boolean takesForeign;
  private final EventCounter received = new EventCounter();
  private final EventCounter redelivered = new EventCounter();
  private final EventCounter foreign = new EventCounter();
  private final EventCounter bytes = new EventCounter();

  /**
   * @param takesForeign whether messages without this program's header are recorded too, with the
   *     broker's timestamp for the intended send; they are counted as foreign either way
   */
  Receiver(DeliveryRecorder deliveries, MessageInspector inspector, boolean takesForeign) {
    this.deliveries = deliveries;
    this.inspector = inspector;
    this.takesForeign = takesForeign;
  }

  void receive(ConsumerRecord<ByteBuffer, ByteBuffer> record, long receiveMicros) {
    ByteBuffer value = record.value();
    boolean ours = PayloadHeader.isPresent(value);
    if (!ours) {
      foreign.add(receiveMicros);
      if (!takesForeign) {
        return;
      }
    }
    if (ours) {
      inspector.check(record, receiveMicros);
    }
    received.add(receiveMicros);
    if (record.deliveryCount().orElse((short) 1) > 1) {
      redelivered.add(receiveMicros);
    }
    int size = value == null ? 0 : value.remaining();
    bytes.add(size, receiveMicros);
    deliveries.received(
        ours ? PayloadHeader.producer(value) : NO_PRODUCER,
        record.partition(),
        record.offset(),
        ours ? PayloadHeader.intendedMicros(value) : record.timestamp() * 1000,
        receiveMicros,
        size);
    if (ours) {
      inspector.done(record, receiveMicros);
    }
  }

  ReceivedCounts counts() {
    return new ReceivedCounts(
        EventCount.of(received),
        EventCount.of(redelivered),
        EventCount.of(foreign),
        EventCount.of(inspector.corrupt()),
        bytes.count());
  }
}
