// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.nio.ByteBuffer;
import java.util.List;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/** Records the messages of one consumer and does the simulated work on them. */
interface Handlers {
  /** Takes what one poll returned. Only the polling thread calls it. */
  void take(ConsumerRecords<ByteBuffer, ByteBuffer> records, long receiveMicros);

  /** Messages taken and not yet handled. Any thread. */
  long open();

  /** Handles what is left and ends; bounded. */
  void stop();

  /** Receivers, which hold the counts. Any thread. */
  List<Receiver> receivers();
}
