// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.workload.Rate.RateSpec.Pacing;
import io.tailrace.loadgen.workload.Rate.RateSpec.Point;
import java.time.Duration;
import java.util.List;

/**
 * One stretch of a run.
 *
 * @param kind what it is for; its name in {@code run_events}
 * @param duration how long it lasts; how long at most when {@code until} ends it
 * @param until what ends it
 * @param pacing what decides when messages are due
 * @param rate total messages per second over all workers, straight lines between points by time
 *     from the phase's start, the ends extended; one point for a constant rate; empty when {@code
 *     pacing} has no rate
 * @param consumersPaused whether consumers hold back, inside their groups, polling on
 */
public record PhasePlan(
    Kind kind,
    Duration duration,
    Until until,
    Pacing pacing,
    List<Point> rate,
    boolean consumersPaused) {
  /** What a phase is for. */
  public enum Kind {
    /** The full rate, or the warm-up's own, before anything is measured. */
    WARMUP("warmup"),
    /** The measured rate, before anything is measured. */
    SETTLE("settle"),
    /** Load until retention removes what is old on every partition. */
    RETENTION_FILL("retention_fill"),
    /** What results are about. */
    MEASURE("measure"),
    /** Producers go on, consumers pause. */
    BACKLOG_BUILD("backlog_build"),
    /** Producers go on, consumers catch up. */
    BACKLOG_DRAIN("backlog_drain"),
    /** The measured rate, after everything else. */
    COOLDOWN("cooldown");

    private final String label;

    Kind(String label) {
      this.label = label;
    }

    /** As {@code run_events} has it. */
    public String label() {
      return label;
    }
  }

  /** What ends a phase, at the latest its duration. */
  public enum Until {
    TIME("time"),
    /** Log start offsets of all partitions have advanced. */
    RETENTION_REACHED("retention_reached"),
    /** The backlog has the size asked for. */
    BACKLOG_BUILT("backlog_built"),
    /** The backlog is gone, as far as asked for. */
    BACKLOG_DRAINED("backlog_drained"),
    /** As many messages as asked for are sent. */
    VOLUME_SENT("volume_sent"),
    /** Every group has read to the end offsets there were at the phase's start. */
    END_READ("end_read");

    private final String label;

    Until(String label) {
      this.label = label;
    }

    /** As reports write it. */
    public String label() {
      return label;
    }
  }

  public PhasePlan {
    rate = List.copyOf(rate);
  }

  /** A stretch of constant rate that time alone ends. */
  public static PhasePlan constant(Kind kind, Duration duration, double messagesPerSecond) {
    List<Point> rate = List.of(new Point(Duration.ZERO, messagesPerSecond));
    return new PhasePlan(kind, duration, Until.TIME, Pacing.FIXED, rate, false);
  }

  /** Its name in {@code run_events}. */
  public String name() {
    return kind.label();
  }
}
