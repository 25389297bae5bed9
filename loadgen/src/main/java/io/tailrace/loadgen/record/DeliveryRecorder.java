// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/** Records the messages that one consumer received. Only that consumer's thread may call it. */
public final class DeliveryRecorder {
  /** Number of the subscription, the same in every row. */
  public static final int ID_SUBSCRIPTION = 0;

  /** Number of the consumer, the same in every row. */
  public static final int ID_CONSUMER = 1;

  public static final int INT_PARTITION = 0;
  public static final int INT_PAYLOAD_BYTES = 1;
  public static final int INT_PRODUCER = 2;
  public static final int INT_TIE = 3;
  public static final int LONG_OFFSET = 0;
  public static final int LONG_INTENDED = 1;
  public static final int LONG_RECEIVE = 2;
  public static final int LONG_SEQUENCE = 3;

  /** A sequence that is not recorded. */
  public static final long NO_SEQUENCE = -1;

  private final RowLog log;

  DeliveryRecorder(RowLog log) {
    this.log = log;
  }

  /**
   * Records one message; producer, sequence and intended send are read from its payload, times are
   * µs since 1970. Never blocks, and allocates no memory as long as the pool has a chunk for every
   * 1,024th row.
   */
  public void received(
      int producer,
      int partition,
      long offset,
      long intendedMicros,
      long receiveMicros,
      int payloadBytes,
      long sequence,
      int tie) {
    RowChunk chunk = log.reserve(receiveMicros);
    if (chunk == null) {
      return;
    }
    int row = log.row();
    chunk.ints[INT_PARTITION][row] = partition;
    chunk.ints[INT_PAYLOAD_BYTES][row] = payloadBytes;
    chunk.ints[INT_PRODUCER][row] = producer;
    chunk.longs[LONG_OFFSET][row] = offset;
    chunk.longs[LONG_INTENDED][row] = intendedMicros;
    chunk.longs[LONG_RECEIVE][row] = receiveMicros;
    chunk.longs[LONG_SEQUENCE][row] = sequence;
    chunk.ints[INT_TIE][row] = tie;
    log.publish();
  }
}
