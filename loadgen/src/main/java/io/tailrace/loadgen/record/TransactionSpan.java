// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.record;

/**
 * One transaction of a producer. Its messages have consecutive sequence numbers.
 *
 * @param number counted within the producer, from 0
 * @param firstSequence sequence number of its first message
 * @param messages how many were sent in it
 */
public record TransactionSpan(long number, long firstSequence, int messages, Times times) {
  /**
   * µs since 1970 UTC.
   *
   * @param begin before the producer began it
   * @param begun after that call
   * @param endRequest before the producer asked for the commit or abort; equals end if it never did
   * @param end when the outcome was known, or the producer gave up
   */
  public record Times(long begin, long begun, long endRequest, long end) {}
}
