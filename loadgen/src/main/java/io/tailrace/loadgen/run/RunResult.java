// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

/**
 * How a run ended.
 *
 * @param exitCode 0 completed, 1 failed in mid-run, 130 interrupted
 */
public record RunResult(int exitCode) {}
