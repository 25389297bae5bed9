// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/**
 * How many messages of all producers together are due by when, from the start of a segment of load
 * on: the integral of the rate over time, and its inverse.
 */
public interface RateFunction {
  /**
   * Messages due before a time.
   *
   * @param nanos ns after the start of the segment
   */
  double messagesBy(long nanos);

  /**
   * When a number of messages has become due.
   *
   * @return ns after the start of the segment; {@link Long#MAX_VALUE} for never
   */
  long nanosAt(double messages);
}
