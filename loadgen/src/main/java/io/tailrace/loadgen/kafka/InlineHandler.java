// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/** The polling thread handles its messages itself, before it polls again. */
final class InlineHandler implements Handlers {
  private final Receiver receiver;
  private final Processing processing;

  InlineHandler(Receiver receiver, Processing processing) {
    this.receiver = receiver;
    this.processing = processing;
  }

  @Override
  public void take(ConsumerRecords<ByteBuffer, ByteBuffer> records, long receiveMicros) {
    for (ConsumerRecord<ByteBuffer, ByteBuffer> record : records) {
      receiver.receive(record, receiveMicros);
    }
    processing.spend(records.count());
  }

  @Override
  public long open() {
    return 0;
  }

  @Override
  public void stop() {}

  @Override
  public List<Receiver> receivers() {
    return List.of(receiver);
  }
}
