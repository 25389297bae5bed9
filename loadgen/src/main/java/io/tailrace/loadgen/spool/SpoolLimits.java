// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

/**
 * How much disk space a spool may use.
 *
 * @param maxBytes total size of all segments
 * @param minFreeBytes space that must stay free on its file system
 * @param segmentBytes size at which a new segment starts
 */
public record SpoolLimits(long maxBytes, long minFreeBytes, long segmentBytes) {
  private static final long MIN_FREE_BYTES = 2L << 30;
  private static final long SEGMENT_BYTES = 64L << 20;

  /** Limits with the given size, 2 GiB of free space and segments of 64 MiB. */
  public static SpoolLimits of(long maxBytes) {
    return new SpoolLimits(maxBytes, MIN_FREE_BYTES, SEGMENT_BYTES);
  }
}
