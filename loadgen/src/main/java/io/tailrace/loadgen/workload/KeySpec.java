// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

/**
 * Keys of messages. Which keys there are follows from the seed.
 *
 * @param choice how each message's key is chosen
 * @param count how many different keys, 1 or more; 0 for {@link Choice#NONE}
 * @param bytes size of each key; 0 for {@link Choice#NONE}
 * @param exponent skew of {@link Choice#ZIPF}: the k-th most frequent key has weight 1/k^exponent;
 *     0 otherwise
 */
public record KeySpec(Choice choice, int count, int bytes, double exponent) {
  /** How a key is chosen. */
  public enum Choice {
    NONE("none"),
    ROUND_ROBIN("roundRobin"),
    RANDOM("random"),
    ZIPF("zipf");

    private final String label;

    Choice(String label) {
      this.label = label;
    }

    /** As files write it. */
    public String label() {
      return label;
    }
  }

  /** Messages without keys. */
  public static final KeySpec NO_KEYS = new KeySpec(Choice.NONE, 0, 0, 0);
}
