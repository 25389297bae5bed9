// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.spool;

/** Bytes that all segments may use, that must stay free on the drive, and that end a segment. */
public record SpoolLimits(long maxBytes, long minFreeBytes, long segmentBytes) {
  private static final long MIN_FREE_BYTES = 2L << 30;
  private static final long SEGMENT_BYTES = 64L << 20;

  /** Limits with the given size, 2 GiB of free space and segments of 64 MiB. */
  public static SpoolLimits of(long maxBytes) {
    return new SpoolLimits(maxBytes, MIN_FREE_BYTES, SEGMENT_BYTES);
  }
}
