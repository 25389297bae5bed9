// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import java.util.Map;

/**
 * Fate of the rows of one stream: {@code recorded = stored + sum of lost}, and rows still in the
 * spool.
 *
 * @param recorded rows handed to the recorders
 * @param stored rows the collector reported committed
 * @param lost rows not kept, by reason
 */
public record StreamReport(long recorded, long stored, Map<String, Long> lost) {}
