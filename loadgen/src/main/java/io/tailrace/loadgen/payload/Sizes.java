// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.payload;

import io.tailrace.loadgen.payload.MessageRandom.Draw;

/** Random message sizes: a range is drawn by weight, then a size within it uniformly. */
public final class Sizes {
  private final int[] smallest;
  private final int[] largest;
  private final double[] upTo;

  /** Ranges of sizes in bytes, the largest included, each with a weight above 0. */
  public Sizes(int[] smallest, int[] largest, double[] weights) {
    this.smallest = smallest.clone();
    this.largest = largest.clone();
    this.upTo = new double[weights.length];
    double sum = 0;
    for (int i = 0; i < weights.length; i++) {
      sum += weights[i];
      upTo[i] = sum;
    }
  }

  int of(MessageRandom random, long message) {
    double at = random.unit(Draw.BUCKET, message) * upTo[upTo.length - 1];
    int range = 0;
    while (range + 1 < upTo.length && at >= upTo[range]) {
      range++;
    }
    return smallest[range] + random.below(largest[range] - smallest[range] + 1, Draw.SIZE, message);
  }
}
