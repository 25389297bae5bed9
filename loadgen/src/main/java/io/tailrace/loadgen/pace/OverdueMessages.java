// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/**
 * Messages of a schedule that were not sent.
 *
 * @param messages how many
 * @param firstNanoTime when the first one was due, a reading of the clock; 0 where there is none
 * @param lastNanoTime when the last one was due; 0 where there is none
 */
public record OverdueMessages(long messages, long firstNanoTime, long lastNanoTime) {}
