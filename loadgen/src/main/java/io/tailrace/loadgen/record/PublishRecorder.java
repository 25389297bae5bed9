// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/** Records the acknowledged messages of one producer, on its callback thread only. */
public final class PublishRecorder {
  /** Number of the producer, the same in every row. */
  public static final int ID_PRODUCER = 0;

  public static final int INT_PARTITION = 0;
  public static final int INT_PAYLOAD_BYTES = 1;
  public static final int LONG_OFFSET = 0;
  public static final int LONG_INTENDED = 1;
  public static final int LONG_PUBLISH_DELAY = 2;
  public static final int LONG_ACK = 3;

  private final RowLog log;

  PublishRecorder(RowLog log) {
    this.log = log;
  }

  /**
   * Records one message; offset −1 with {@code acks=0}, times in µs since 1970, the delay actual
   * minus intended send, perhaps negative. Never blocks, and allocates no memory as long as the
   * pool has a chunk for every 1,024th row.
   */
  public void acked(
      int partition,
      long offset,
      long intendedMicros,
      long publishDelayMicros,
      long ackMicros,
      int payloadBytes) {
    RowChunk chunk = log.reserve(ackMicros);
    if (chunk == null) {
      return;
    }
    int row = log.row();
    chunk.ints[INT_PARTITION][row] = partition;
    chunk.ints[INT_PAYLOAD_BYTES][row] = payloadBytes;
    chunk.longs[LONG_OFFSET][row] = offset;
    chunk.longs[LONG_INTENDED][row] = intendedMicros;
    chunk.longs[LONG_PUBLISH_DELAY][row] = publishDelayMicros;
    chunk.longs[LONG_ACK][row] = ackMicros;
    log.publish();
  }
}
