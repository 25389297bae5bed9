// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/**
 * The rate of all producers together over time, as its integral and the inverse of it: how many
 * messages are intended by a time, and by when a number of messages is.
 */
public interface RateFunction {
  /** Messages whose intended send is before a time, in ns after the start of the segment. */
  double messagesBy(long nanos);

  /** The time by which a number of messages is intended, ns; {@link Long#MAX_VALUE} for never. */
  long nanosAt(double messages);
}
