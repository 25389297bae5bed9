// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/**
 * Records the messages that producers failed to send. Any thread may call it; writers wait for each
 * other for the time of one row.
 */
public final class FailureRecorder {
  public static final int INT_PARTITION = 0;
  public static final int INT_PAYLOAD_BYTES = 1;
  public static final int INT_PRODUCER = 2;
  public static final int INT_TIE = 3;
  public static final int LONG_INTENDED = 0;
  public static final int LONG_PUBLISH_DELAY = 1;
  public static final int LONG_FAIL = 2;
  public static final int LONG_SEQUENCE = 3;
  public static final int TEXT_TOPIC = 0;
  public static final int TEXT_ERROR_CLASS = 1;

  private final RowLog log;

  FailureRecorder(RowLog log) {
    this.log = log;
  }

  /**
   * Records one message: partition -1 if none was chosen, times in µs since 1970, the delay actual
   * minus intended send, the simple class name of the exception, its number within its producer.
   */
  public synchronized void failed(
      int producer,
      String topic,
      int partition,
      long intendedMicros,
      long publishDelayMicros,
      long failMicros,
      int payloadBytes,
      String errorClass,
      long sequence,
      int tie) {
    RowChunk chunk = log.reserve(failMicros);
    if (chunk == null) {
      return;
    }
    int row = log.row();
    chunk.ints[INT_PARTITION][row] = partition;
    chunk.ints[INT_PAYLOAD_BYTES][row] = payloadBytes;
    chunk.ints[INT_PRODUCER][row] = producer;
    chunk.longs[LONG_INTENDED][row] = intendedMicros;
    chunk.longs[LONG_PUBLISH_DELAY][row] = publishDelayMicros;
    chunk.longs[LONG_FAIL][row] = failMicros;
    chunk.longs[LONG_SEQUENCE][row] = sequence;
    chunk.ints[INT_TIE][row] = tie;
    chunk.texts[TEXT_TOPIC][row] = topic;
    chunk.texts[TEXT_ERROR_CLASS][row] = errorClass;
    log.publish();
  }
}
