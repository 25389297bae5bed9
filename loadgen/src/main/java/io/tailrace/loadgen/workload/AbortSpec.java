// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.time.Duration;
import java.util.OptionalDouble;

/**
 * When a run gives up before its end.
 *
 * @param behind how far behind its schedule any producer may be; zero for no bound
 * @param errorRate share of sends that may fail, 0 to 1, over {@code window}
 * @param window time over which the error rate is taken
 */
public record AbortSpec(Duration behind, OptionalDouble errorRate, Duration window) {}
