// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/**
 * Records the transactions of producers. Any thread may call it; writers wait for each other for
 * the time of one row.
 */
public final class TransactionRecorder {
  public static final int INT_PRODUCER = 0;
  public static final int INT_MESSAGES = 1;
  public static final int INT_ACKED = 2;
  public static final int LONG_NUMBER = 0;
  public static final int LONG_FIRST_SEQUENCE = 1;
  public static final int LONG_BEGIN = 2;
  public static final int LONG_BEGUN = 3;
  public static final int LONG_END_REQUEST = 4;
  public static final int LONG_END = 5;
  public static final int TEXT_TOPIC = 0;
  public static final int TEXT_OUTCOME = 1;
  public static final int TEXT_ERROR_CLASS = 2;

  private final RowLog log;

  TransactionRecorder(RowLog log) {
    this.log = log;
  }

  /**
   * Records one transaction; acked messages are those that the broker had acknowledged in it, the
   * error class is empty where there was no error.
   */
  public synchronized void ended(
      int producer,
      String topic,
      TransactionSpan span,
      int acked,
      TransactionOutcome outcome,
      String errorClass) {
    RowChunk chunk = log.reserve(span.times().end());
    if (chunk == null) {
      return;
    }
    int row = log.row();
    chunk.ints[INT_PRODUCER][row] = producer;
    chunk.ints[INT_MESSAGES][row] = span.messages();
    chunk.ints[INT_ACKED][row] = acked;
    chunk.longs[LONG_NUMBER][row] = span.number();
    chunk.longs[LONG_FIRST_SEQUENCE][row] = span.firstSequence();
    chunk.longs[LONG_BEGIN][row] = span.times().begin();
    chunk.longs[LONG_BEGUN][row] = span.times().begun();
    chunk.longs[LONG_END_REQUEST][row] = span.times().endRequest();
    chunk.longs[LONG_END][row] = span.times().end();
    chunk.texts[TEXT_TOPIC][row] = topic;
    chunk.texts[TEXT_OUTCOME][row] = outcome.text();
    chunk.texts[TEXT_ERROR_CLASS][row] = errorClass;
    log.publish();
  }
}
