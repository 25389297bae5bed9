// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.workload.Rate.RateSpec.Pacing;
import io.tailrace.loadgen.workload.Rate.RateSpec.Point;
import java.time.Duration;
import java.util.List;

/**
 * One phase of a run.
 *
 * @param kind purpose of the phase; its name in {@code run_events}
 * @param duration duration; the maximum if {@code until} ends the phase earlier
 * @param until end condition
 * @param pacing how the intended sends are determined
 * @param rate total messages per second over all workers, linear between points in order of time
 *     from the phase's start and constant outside them; one point for a constant rate; empty if
 *     {@code pacing} has no rate
 * @param consumersPaused whether consumers are paused; they stay in their groups and keep polling
 */
public record PhasePlan(
    Kind kind,
    Duration duration,
    Until until,
    Pacing pacing,
    List<Point> rate,
    boolean consumersPaused) {
  /** Purpose of a phase. */
  public enum Kind {
    /** The full rate, or the warm-up's own rate, before the measure phase. */
    WARMUP("warmup"),
    /** The measured rate, before the measure phase. */
    SETTLE("settle"),
    /** Load until retention removes old messages on every partition. */
    RETENTION_FILL("retention_fill"),
    /** The phase whose messages are judged. */
    MEASURE("measure"),
    /** Producers continue, consumers pause. */
    BACKLOG_BUILD("backlog_build"),
    /** Producers continue, consumers catch up. */
    BACKLOG_DRAIN("backlog_drain"),
    /** The measured rate, after all other phases. */
    COOLDOWN("cooldown");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** Name in {@code run_events}. */
    public String label() {
      return label;
    }
  }

  /** What ends a phase before its duration is over. */
  public enum Until {
    TIME("time"),
    /** Log start offsets of all partitions have advanced. */
    RETENTION_REACHED("retention_reached"),
    /** The backlog has the required size. */
    BACKLOG_BUILT("backlog_built"),
    /** The backlog is down to the required size. */
    BACKLOG_DRAINED("backlog_drained"),
    /** The required number of messages is sent. */
    VOLUME_SENT("volume_sent"),
    /** Every group has read up to the end offsets of the phase's start. */
    END_READ("end_read");

    private final String label;

    Until(String label) {
      this.label = label;
    }

    /** Name in reports. */
    public String label() {
      return label;
    }
  }

  public PhasePlan {
    rate = List.copyOf(rate);
  }

  /** A phase of constant rate that ends after its duration. */
  public static PhasePlan constant(Kind kind, Duration duration, double messagesPerSecond) {
    List<Point> rate = List.of(new Point(Duration.ZERO, messagesPerSecond));
    return new PhasePlan(kind, duration, Until.TIME, Pacing.FIXED, rate, false);
  }

  /** Its name in {@code run_events}. */
  public String name() {
    return kind.label();
  }
}
