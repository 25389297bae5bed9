// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.time.Duration;

/**
 * How messages are spread in time around the rate, whose mean stays.
 *
 * @param pattern the pattern
 * @param every for {@link Pattern#BURSTS}: from the start of one burst to that of the next; else
 *     zero
 * @param lasting for {@link Pattern#BURSTS}: length of a burst, in which all messages of {@code
 *     every} come at even intervals; else zero
 */
public record ArrivalSpec(Pattern pattern, Duration every, Duration lasting) {
  /** The pattern. */
  public enum Pattern {
    CONSTANT("constant"),
    POISSON("poisson"),
    BURSTS("bursts");

    private final String label;

    Pattern(String label) {
      this.label = label;
    }

    /** As files write it. */
    public String label() {
      return label;
    }
  }

  /** Even intervals. */
  public static final ArrivalSpec EVEN =
      new ArrivalSpec(Pattern.CONSTANT, Duration.ZERO, Duration.ZERO);
}
