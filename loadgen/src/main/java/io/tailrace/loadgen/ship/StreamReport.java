// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import java.util.Map;

/**
 * Result for one stream: {@code recorded = stored + sum of lost + rows still in the spool}.
 *
 * @param recorded rows given to the recorders
 * @param stored rows that the collector reported committed
 * @param lost lost rows, by reason
 */
public record StreamReport(long recorded, long stored, Map<String, Long> lost) {}
