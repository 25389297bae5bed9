// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/**
 * Scheduled messages that were not sent.
 *
 * @param messages number of messages
 * @param firstNanoTime intended send of the first one, a reading of the clock; 0 if there is none
 * @param lastNanoTime intended send of the last one; 0 if there is none
 */
public record OverdueMessages(long messages, long firstNanoTime, long lastNanoTime) {}
