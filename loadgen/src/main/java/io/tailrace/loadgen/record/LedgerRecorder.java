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

  public void add(LedgerEntry entry) {
    RowChunk chunk = log.reserve(entry.toMicros());
    if (chunk == null) {
      return;
    }
    int row = log.row();
    chunk.longs[LONG_EVENTS][row] = entry.events();
    chunk.longs[LONG_FROM][row] = entry.fromMicros();
    chunk.longs[LONG_TO][row] = entry.toMicros();
    chunk.texts[TEXT_STREAM][row] = entry.stream();
    chunk.texts[TEXT_KIND][row] = entry.kind();
    chunk.texts[TEXT_REASON][row] = entry.reason();
    log.publish();
  }
}
