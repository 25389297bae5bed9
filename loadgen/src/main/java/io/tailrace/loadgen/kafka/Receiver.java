// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.record.DeliveryRecorder;
import java.nio.ByteBuffer;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Counts and records the messages that one thread receives. */
final class Receiver {
  /** Producer number of a message that this run did not send. */
  static final int NO_PRODUCER = -1;

  private final int run;
  private final boolean sequences;
  private final Others others;
  private final DeliveryRecorder deliveries;
  private final MessageInspector inspector;
  private final EventCounter received = new EventCounter();
  private final EventCounter redelivered = new EventCounter();
  private final EventCounter foreign = new EventCounter();
  private final EventCounter otherRuns = new EventCounter();
  private final EventCounter bytes = new EventCounter();

  /** Which messages that this run did not send are recorded; they are counted either way. */
  enum Others {
    /** None, in the run's own topics. */
    NONE,
    /**
     * Those of other programs, in topics that existed before the run and that it writes too. What
     * another run sends to such a topic at the same time is that run's.
     */
    OTHER_PROGRAMS,
    /** All, in topics that the run only reads: they are its load. */
    ALL
  }

  /**
   * The rows of such messages have no producer; the intended send is that of the other run, or the
   * broker's timestamp.
   *
   * @param run the number that this run's messages carry
   * @param sequences whether sequences are recorded; a message is identified without them
   */
  Receiver(
      int run,
      boolean sequences,
      Others others,
      DeliveryRecorder deliveries,
      MessageInspector inspector) {
    this.run = run;
    this.sequences = sequences;
    this.others = others;
    this.deliveries = deliveries;
    this.inspector = inspector;
  }

  void receive(ConsumerRecord<ByteBuffer, ByteBuffer> record, long receiveMicros) {
    ByteBuffer value = record.value();
    if (!PayloadHeader.isOf(run, value)) {
      receiveOther(record, receiveMicros);
      return;
    }
    inspector.check(record, receiveMicros);
    count(record, receiveMicros);
    deliveries.received(
        PayloadHeader.producer(value),
        record.partition(),
        record.offset(),
        PayloadHeader.intendedMicros(value),
        receiveMicros,
        value.remaining(),
        sequences ? PayloadHeader.sequence(value) : DeliveryRecorder.NO_SEQUENCE,
        PayloadHeader.tie(value));
    inspector.done(record, receiveMicros);
  }

  private void receiveOther(ConsumerRecord<ByteBuffer, ByteBuffer> record, long receiveMicros) {
    ByteBuffer value = record.value();
    boolean otherRun = PayloadHeader.isPresent(value);
    (otherRun ? otherRuns : foreign).add(receiveMicros);
    if (others == Others.NONE || (otherRun && others != Others.ALL)) {
      return;
    }
    count(record, receiveMicros);
    deliveries.received(
        NO_PRODUCER,
        record.partition(),
        record.offset(),
        otherRun ? PayloadHeader.intendedMicros(value) : record.timestamp() * 1000,
        receiveMicros,
        value == null ? 0 : value.remaining(),
        DeliveryRecorder.NO_SEQUENCE,
        0);
  }

  private void count(ConsumerRecord<ByteBuffer, ByteBuffer> record, long receiveMicros) {
    received.add(receiveMicros);
    if (record.deliveryCount().orElse((short) 1) > 1) {
      redelivered.add(receiveMicros);
    }
    bytes.add(record.value() == null ? 0 : record.value().remaining(), receiveMicros);
  }

  ReceivedCounts counts() {
    return new ReceivedCounts(
        EventCount.of(received),
        EventCount.of(redelivered),
        EventCount.of(foreign),
        EventCount.of(otherRuns),
        EventCount.of(inspector.corrupt()),
        bytes.count());
  }
}
