// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/**
 * Where a consumer's messages come from: a client and the way it gets partitions or messages. One
 * thread at a time calls it, except where a method allows any.
 */
interface MessageSource {
  void open();

  /** Messages that have arrived, at once when there are some, else none after the timeout. */
  ConsumerRecords<ByteBuffer, ByteBuffer> poll(Duration timeout);

  /** Called when the messages of a poll have been passed to their handlers. */
  void taken(ConsumerRecords<ByteBuffer, ByteBuffer> records);

  /** Whether the next poll acknowledges all messages of this one to the broker. */
  boolean pollAcknowledges();

  /** Pauses or resumes fetching. Polling goes on, so that the consumer stays in its group. */
  void pause(boolean paused);

  /** Partitions of which it gets every message from now on. Any thread. */
  Set<Integer> ready();

  /** Offset up to which a partition has been polled. Any thread. */
  long position(int partition);

  /** Commits for the last time, waiting a little. */
  void commit();

  void close();

  /** Deliveries that it handed back to its group. */
  default long released() {
    return 0;
  }
}
