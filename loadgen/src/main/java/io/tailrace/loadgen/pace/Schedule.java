// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import java.time.Duration;
import java.util.List;

/**
 * When each message of one producer is due, a function of its number alone.
 *
 * <p>Message i is due when the integral of the rate over time reaches i + offsetShare. Phases
 * therefore join without a gap: the part of an interval begun in one phase is finished in the next.
 * Each time is computed from the start of its phase, so rounding does not add up: after 36 hours at
 * 3 million messages a second it is still below 1 ns.
 */
public final class Schedule {
  /**
   * A stretch of constant rate.
   *
   * @param duration how long
   * @param messagesPerSecond rate of this one producer, above 0
   */
  public record Phase(Duration duration, double messagesPerSecond) {}

  private final double offsetShare;
  private final long count;
  private final long durationNanos;
  private final long[] phaseStartNanos;
  private final double[] messagesBefore;
  private final double[] intervalNanos;

  /**
   * @param offsetShare where in its own interval the first message lies, 0 ≤ x &lt; 1
   * @param phases one or more, in order
   */
  public Schedule(double offsetShare, List<Phase> phases) {
    this.offsetShare = offsetShare;
    phaseStartNanos = new long[phases.size()];
    messagesBefore = new double[phases.size()];
    intervalNanos = new double[phases.size()];
    long nanos = 0;
    double messages = 0;
    for (int i = 0; i < phases.size(); i++) {
      Phase phase = phases.get(i);
      phaseStartNanos[i] = nanos;
      messagesBefore[i] = messages;
      intervalNanos[i] = 1e9 / phase.messagesPerSecond();
      nanos += phase.duration().toNanos();
      messages += phase.duration().toNanos() / 1e9 * phase.messagesPerSecond();
    }
    durationNanos = nanos;
    count = dueBefore(nanos, (long) Math.ceil(messages - offsetShare));
  }

  // The sum of the rates may come out a hair above a whole number, and the message there would be
  // due at the very end.
  private long dueBefore(long nanos, long estimate) {
    long messages = estimate;
    while (messages > 0 && dueNanos(messages - 1) >= nanos) {
      messages--;
    }
    return messages;
  }

  /** Number of messages that are due before the last phase ends. */
  public long count() {
    return count;
  }

  /** Length of all phases together, ns. */
  public long durationNanos() {
    return durationNanos;
  }

  /**
   * When a message is due.
   *
   * @param message number of the message, from 0
   * @return ns after the start of the first phase
   */
  public long dueNanos(long message) {
    double position = message + offsetShare;
    int phase = phaseStartNanos.length - 1;
    while (phase > 0 && position < messagesBefore[phase]) {
      phase--;
    }
    return phaseStartNanos[phase]
        + Math.round((position - messagesBefore[phase]) * intervalNanos[phase]);
  }
}
