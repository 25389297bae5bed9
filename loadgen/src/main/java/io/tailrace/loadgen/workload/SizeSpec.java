// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.List;

/**
 * How large message values are: a bucket is drawn by weight, then a size within it evenly.
 *
 * @param buckets one or more; one bucket of one size for a constant size
 */
public record SizeSpec(List<Bucket> buckets) {
  /**
   * A range of sizes.
   *
   * @param least smallest size in bytes, at least {@link MessageSpec#LEAST_BYTES}
   * @param most largest size in bytes, inclusive
   * @param weight its weight against the other buckets, above 0
   */
  public record Bucket(int least, int most, double weight) {}

  public SizeSpec {
    buckets = List.copyOf(buckets);
  }

  /** Every message of one size. */
  public static SizeSpec of(int bytes) {
    return new SizeSpec(List.of(new Bucket(bytes, bytes, 1)));
  }

  /** Whether all messages have one size. */
  public boolean constant() {
    return buckets.size() == 1 && buckets.get(0).least() == buckets.get(0).most();
  }

  /** The mean size in bytes. */
  public double mean() {
    double sum = 0;
    double weights = 0;
    for (Bucket bucket : buckets) {
      sum += bucket.weight() * ((double) bucket.least() + bucket.most()) / 2;
      weights += bucket.weight();
    }
    return sum / weights;
  }

  /** The largest size in bytes. */
  public int most() {
    return buckets.stream().mapToInt(Bucket::most).max().orElseThrow();
  }
}
