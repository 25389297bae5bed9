// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import java.util.HashMap;
import java.util.Map;

/**
 * What a worker reports to the leader.
 *
 * @param number counts up over the worker's reports, so that a late one does not undo a newer one
 * @param finished whether its clients are closed
 * @param positions offsets up to which its consumers have read, by group and partition
 */
record WorkerReport(long number, boolean finished, Map<String, Map<Integer, Long>> positions) {
  WorkerReport {
    Map<String, Map<Integer, Long>> copy = new HashMap<>();
    positions.forEach((group, read) -> copy.put(group, Map.copyOf(read)));
    positions = Map.copyOf(copy);
  }
}
