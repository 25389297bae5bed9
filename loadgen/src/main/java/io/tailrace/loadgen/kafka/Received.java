// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.util.Collection;
import java.util.List;
import java.util.function.Function;

/**
 * What one or more consumers have counted.
 *
 * @param messages messages recorded
 * @param redelivered of those, messages that a share group had handed out before
 * @param foreign messages without this program's header: another program wrote to the topic
 * @param corrupt of those, messages that are not, byte for byte, what was sent
 * @param bytes bytes of the recorded messages' values
 */
public record Received(
    Tally messages, Tally redelivered, Tally foreign, Tally corrupt, long bytes) {
  /** All of several together. */
  public static Received sum(Collection<Received> parts) {
    return new Received(
        Tally.sum(parts, Received::messages),
        Tally.sum(parts, Received::redelivered),
        Tally.sum(parts, Received::foreign),
        Tally.sum(parts, Received::corrupt),
        parts.stream().mapToLong(Received::bytes).sum());
  }

  static Received by(List<Receiver> receivers) {
    return new Received(
        tally(receivers, Receiver::received),
        tally(receivers, Receiver::redelivered),
        tally(receivers, Receiver::foreign),
        tally(receivers, Receiver::corrupt),
        receivers.stream().mapToLong(receiver -> receiver.bytes().count()).sum());
  }

  private static Tally tally(List<Receiver> receivers, Function<Receiver, EventCounter> counter) {
    return Tally.sum(receivers, counter.andThen(Tally::of));
  }
}
