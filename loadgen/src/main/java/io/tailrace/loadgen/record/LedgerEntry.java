// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/**
 * One row of the ledger.
 *
 * @param stream stream counted
 * @param kind sent, acked, failed, received, recorded or lost
 * @param reason why rows were lost; empty for other kinds
 * @param events how many
 * @param fromMicros first event counted, µs since 1970; 0 where it does not apply
 * @param toMicros last event counted, µs since 1970; 0 where it does not apply
 */
public record LedgerEntry(
    String stream, String kind, String reason, long events, long fromMicros, long toMicros) {}
