// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import org.apache.kafka.clients.producer.ProducerRecord;

/** The messages of one producer, one after the other. For one thread. */
@FunctionalInterface
interface Messages {
  /**
   * The next message. Its value has room for the header at its start and may be used again for the
   * message after it.
   */
  ProducerRecord<byte[], byte[]> next();

  /** Whether all values have the same bytes behind the header. */
  default boolean sameBody() {
    return false;
  }
}
