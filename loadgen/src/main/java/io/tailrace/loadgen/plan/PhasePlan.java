// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.workload.Rate.RateSpec.Pacing;
import io.tailrace.loadgen.workload.Rate.RateSpec.Point;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/**
 * One phase of a run.
 *
 * @param kind purpose of the phase; its name in {@code run_events}
 * @param duration duration; the maximum if {@code until} ends the phase earlier
 * @param least duration before which {@code until} does not end it
 * @param rate total messages per second over all workers, linear between points in order of time
 *     from the phase's start and constant outside them; one point for a constant rate; empty if
 *     {@code pacing} has no rate
 * @param consumersPaused whether consumers are paused; they stay in their groups and keep polling
 */
public record PhasePlan(
    Kind kind,
    Duration duration,
    Duration least,
    Until until,
    Pacing pacing,
    List<Point> rate,
    boolean consumersPaused) {
  public enum Kind {
    /** The full rate, or the warm-up's own rate, before the measure phase. */
    WARMUP,
    /** The measured rate, before the measure phase. */
    SETTLE,
    /** Load until retention removes old messages on every partition. */
    RETENTION_FILL,
    /** The phase whose messages are judged. */
    MEASURE,
    /** Producers continue, consumers pause. */
    BACKLOG_BUILD,
    /** Producers continue, consumers catch up. */
    BACKLOG_DRAIN,
    /** The measured rate, after all other phases. */
    COOLDOWN;

    /** Name in {@code run_events}. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** What ends a phase before its duration is over. */
  public enum Until {
    TIME,
    /** Log start offsets of all partitions have advanced. */
    RETENTION_REACHED,
    BACKLOG_BUILT,
    BACKLOG_DRAINED,
    /** The required number of messages is sent. */
    VOLUME_SENT,
    /** Latency and CPU time per message no longer move. */
    STEADY,
    /** Every group has read up to the end offsets of the phase's start. */
    END_READ;

    /** Name in reports. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  public PhasePlan {
    rate = List.copyOf(rate);
  }

  public String name() {
    return kind.label();
  }
}
