// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

/**
 * Latency of one stage since the last reset, µs: quantiles are bucket midpoints, at most 0.4 % off;
 * the maximum is exact.
 */
public record StageLatency(long count, long p50Micros, long p99Micros, long maxMicros) {}
