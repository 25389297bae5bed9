// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import org.apache.kafka.clients.producer.ProducerRecord;

/** The messages of one producer, one after the other. For one thread. */
@FunctionalInterface
interface Messages {
  /** The next message, with room for the header; its value may be used again for the one after. */
  ProducerRecord<byte[], byte[]> next();

  /** Whether all values have the same bytes behind the header. */
  default boolean sameBody() {
    return false;
  }

  /** Whether they have keys; a compacted topic accepts no other ones. */
  default boolean keyed() {
    return false;
  }
}
