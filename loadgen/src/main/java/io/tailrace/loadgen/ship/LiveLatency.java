// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

/**
 * Latency of one stage since the last reset: quantiles are bucket midpoints, at most 0.4 % off; the
 * maximum is exact.
 */
public record LiveLatency(long count, long p50Micros, long p99Micros, long maxMicros) {}
