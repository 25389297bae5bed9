// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/** Records the rows of a worker's ledger. Called by one thread, at the end of a run. */
public final class LedgerRecorder {
  public static final int LONG_EVENTS = 0;
  public static final int LONG_FROM = 1;
  public static final int LONG_TO = 2;
  public static final int TEXT_STREAM = 0;
  public static final int TEXT_KIND = 1;
  public static final int TEXT_REASON = 2;

  private final RowLog log;

  LedgerRecorder(RowLog log) {
    this.log = log;
  }

  /**
   * Records one count.
   *
   * @param stream stream counted
   * @param kind sent, acked, failed, received, recorded or lost
   * @param reason why rows were lost; empty for other kinds
   * @param events number of events
   * @param fromMicros time of the first event counted, µs since 1970; 0 if not applicable
   * @param toMicros time of the last event counted, µs since 1970; 0 if not applicable
   */
  public void entry(
      String stream, String kind, String reason, long events, long fromMicros, long toMicros) {
    RowChunk chunk = log.reserve(toMicros);
    if (chunk == null) {
      return;
    }
    int row = log.row();
    chunk.longs[LONG_EVENTS][row] = events;
    chunk.longs[LONG_FROM][row] = fromMicros;
    chunk.longs[LONG_TO][row] = toMicros;
    chunk.texts[TEXT_STREAM][row] = stream;
    chunk.texts[TEXT_KIND][row] = kind;
    chunk.texts[TEXT_REASON][row] = reason;
    log.publish();
  }
}
