// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

/**
 * One bound that decides the exit code, judged from stored rows of the measure phase.
 *
 * @param key as in the file: {@code endToEnd.p99}, {@code publish.max}, {@code consumed}, …
 * @param direction which side of {@code value} is good
 * @param value µs for latencies and {@code backlogDrain}, messages per second for rates, a share
 *     for {@code errorRate}, a count for {@code lost} and {@code duplicates}
 * @param text the value as the file has it
 */
public record SloSpec(String key, Direction direction, double value, String text) {
  /** Which side of the value is good, the value itself included. */
  public enum Direction {
    AT_MOST,
    AT_LEAST
  }
}
