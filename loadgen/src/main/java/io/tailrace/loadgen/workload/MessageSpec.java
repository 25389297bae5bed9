// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

/**
 * What message values are.
 *
 * @param size their size; for payload files it spans the files' sizes
 * @param payload what they are made of
 */
public record MessageSpec(SizeSpec size, PayloadSpec payload) {
  /** Every message value begins with a header of this many bytes. */
  public static final int LEAST_BYTES = 24;
}
