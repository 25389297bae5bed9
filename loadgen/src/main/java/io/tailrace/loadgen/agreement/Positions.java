// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import java.util.Map;

/** How far the consumers of all workers have read: offsets by group and partition. */
record Positions(Map<String, Map<Integer, Long>> positions) {}
