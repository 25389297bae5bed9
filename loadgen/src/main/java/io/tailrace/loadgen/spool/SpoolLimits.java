// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

/**
 * How much disk a spool may take.
 *
 * @param maxBytes size of all segments together
 * @param minFreeBytes what its file system must keep free
 * @param segmentBytes size at which a new segment is begun
 */
public record SpoolLimits(long maxBytes, long minFreeBytes, long segmentBytes) {
  /** 10 GiB. */
  public static final long DEFAULT_BYTES = 10L << 30;

  private static final long MIN_FREE_BYTES = 2L << 30;
  private static final long SEGMENT_BYTES = 64L << 20;

  /** The given size, 2 GiB left free, segments of 64 MiB. */
  public static SpoolLimits of(long maxBytes) {
    return new SpoolLimits(maxBytes, MIN_FREE_BYTES, SEGMENT_BYTES);
  }
}
