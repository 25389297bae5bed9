// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import java.util.Map;

/** Rows of one stream: {@code recorded = stored + sum of lost, by reason, + still in the spool}. */
public record StreamReport(long recorded, long stored, Map<String, Long> lost) {}
