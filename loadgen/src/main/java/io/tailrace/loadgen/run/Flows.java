// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.pace.BurstRate;
import io.tailrace.loadgen.pace.ConstantRate;
import io.tailrace.loadgen.pace.CurveRate;
import io.tailrace.loadgen.pace.RateFunction;
import io.tailrace.loadgen.workload.Produce.ArrivalSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec.Point;
import java.util.List;
import java.util.SplittableRandom;

/** Turns a phase's planned rate into the flow that producers follow. */
final class Flows {
  private Flows() {}

  /**
   * The flow of a phase.
   *
   * @param rate points from the phase's start, one or more
   */
  static RateFunction of(List<Point> rate, ArrivalSpec arrivals) {
    RateFunction flow =
        rate.size() == 1
            ? new ConstantRate(rate.get(0).messagesPerSecond())
            : new CurveRate(
                rate.stream()
                    .map(point -> new CurveRate.Point(point.at(), point.messagesPerSecond()))
                    .toList());
    return arrivals.pattern() == ArrivalSpec.Pattern.BURSTS
        ? new BurstRate(flow, arrivals.every(), arrivals.lasting())
        : flow;
  }

  /** Random numbers for the times between a producer's messages. */
  static SplittableRandom gaps(long seed, int producer) {
    // Neighbouring seeds of SplittableRandom are independent of each other, but not its first
    // numbers of seeds that differ by its own step; the products keep clear of that.
    return new SplittableRandom(seed * 31 + producer * 1_000_003L);
  }
}
