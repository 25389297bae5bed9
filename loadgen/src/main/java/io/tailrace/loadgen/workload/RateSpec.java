// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.time.Duration;
import java.util.List;

/**
 * The total rate over all producers of all workers.
 *
 * @param pacing what decides when a message is due
 * @param messagesPerSecond the rate, above 0, for {@link Pacing#FIXED} without a curve; the curve's
 *     mean with one; 0 for the others
 * @param curve rate over time, straight lines between its points, by time; empty for a constant
 *     rate
 * @param origin what the curve's times count from
 */
public record RateSpec(Pacing pacing, double messagesPerSecond, List<Point> curve, Origin origin) {
  /** What decides when a message is due. */
  public enum Pacing {
    /** A schedule, kept whatever the broker does. */
    FIXED("fixed"),
    /** No schedule: as fast as {@code send()} takes messages; a message is due when it is sent. */
    UNLIMITED("unlimited"),
    /** A schedule whose rate is raised until the broker does not follow. */
    DISCOVER("discover");

    private final String label;

    Pacing(String label) {
      this.label = label;
    }

    /** As reports write it. */
    public String label() {
      return label;
    }
  }

  /** What a curve's times count from. Before its first point and after its last the rate stays. */
  public enum Origin {
    /** The start of the measure phase; phases before it have the first point's rate. */
    MEASURE,
    /** The start of all load, as in the AutoMQ fork: warm-up moves along the curve already. */
    LOAD,
    /** Midnight UTC, the curve closing over the day, as in the AutoMQ fork. */
    DAY
  }

  /**
   * A point of the curve.
   *
   * @param at time
   * @param messagesPerSecond rate at that time, 0 or more
   */
  public record Point(Duration at, double messagesPerSecond) {}

  public RateSpec {
    curve = List.copyOf(curve);
  }

  /** A constant rate. */
  public static RateSpec constant(double messagesPerSecond) {
    return new RateSpec(Pacing.FIXED, messagesPerSecond, List.of(), Origin.MEASURE);
  }
}
