// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/** The polling thread handles its messages itself, before it polls again. */
record InlineHandler(Receiver receiver, Processing processing) implements Handlers {

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
