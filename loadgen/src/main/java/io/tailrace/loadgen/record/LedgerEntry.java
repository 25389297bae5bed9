// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/**
 * One row of the ledger.
 *
 * @param kind sent, acked, failed, unsent, received, recorded or lost
 * @param reason why rows were lost or messages were not sent; empty for other kinds
 * @param fromMicros time of the first event counted, µs since 1970; 0 if not applicable
 * @param toMicros time of the last event counted, µs since 1970; 0 if not applicable
 */
public record LedgerEntry(
    String stream, String kind, String reason, long events, long fromMicros, long toMicros) {
  /** Whether the other entry has the same stream, kind and reason, so that they can be added. */
  public boolean countsTheSame(LedgerEntry other) {
    return stream.equals(other.stream) && kind.equals(other.kind) && reason.equals(other.reason);
  }

  /** The sum of this entry and another one of the same stream, kind and reason. */
  public LedgerEntry plus(LedgerEntry other) {
    Loss sum =
        new Loss(events, fromMicros, toMicros)
            .plus(new Loss(other.events, other.fromMicros, other.toMicros));
    return new LedgerEntry(stream, kind, reason, sum.events(), sum.fromMicros(), sum.toMicros());
  }
}
