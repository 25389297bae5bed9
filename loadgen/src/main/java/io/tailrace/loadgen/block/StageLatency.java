// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.block;

/** Count, median, 99th percentile and exact maximum of one stage, µs. */
public record StageLatency(long count, long p50Micros, long p99Micros, long maxMicros) {}
