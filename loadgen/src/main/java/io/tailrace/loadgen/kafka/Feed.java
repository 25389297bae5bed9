// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Set;
import org.apache.kafka.clients.consumer.ConsumerRecords;

/**
 * Where a consumer's messages come from: one client and how it comes by its partitions. One thread
 * at a time calls it, except where a method says any.
 */
interface Feed {
  /** Joins the group. */
  void open();

  /** Messages that have arrived, at once when there are some, else none after the timeout. */
  ConsumerRecords<ByteBuffer, ByteBuffer> poll(Duration timeout);

  /** To be called when the messages of a poll have been given to those who handle them. */
  void taken(ConsumerRecords<ByteBuffer, ByteBuffer> records);

  /** Whether the next poll tells the broker that all messages of this one are processed. */
  boolean pollAcknowledges();

  /**
   * Lets nothing more through, or everything again, and goes on polling all the same, so that the
   * consumer stays in its group.
   */
  void pause(boolean paused);

  /** Partitions whose messages it gets from now on without exception. Any thread. */
  Set<Integer> ready();

  /** Offset up to which a partition has been polled. Any thread. */
  long position(int partition);

  /** Commits for the last time, waiting a little. */
  void commit();

  /** Gives the client back. */
  void close();
}
