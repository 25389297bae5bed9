// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/**
 * Scheduled messages that were not sent, with the intended sends of the first and the last,
 * readings of the clock; 0 if there is none.
 */
public record OverdueMessages(long messages, long firstNanoTime, long lastNanoTime) {}
