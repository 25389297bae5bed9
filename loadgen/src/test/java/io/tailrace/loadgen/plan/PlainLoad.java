// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.plan.PhasePlan.Kind;
import io.tailrace.loadgen.plan.PhasePlan.Until;
import io.tailrace.loadgen.workload.Behaviour;
import io.tailrace.loadgen.workload.Consume.ConsumeSpec;
import io.tailrace.loadgen.workload.Durability;
import io.tailrace.loadgen.workload.Keys.KeySpec;
import io.tailrace.loadgen.workload.Produce.ArrivalSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;

/** Load at a constant rate and nothing else. */
public final class PlainLoad {
  private PlainLoad() {}

  public static Behaviour behaviour(double messagesPerSecond) {
    ConsumeSpec consume =
        new ConsumeSpec(
            ConsumeSpec.Groups.CONSUMER,
            ConsumeSpec.Threads.ONE,
            0,
            Optional.empty(),
            Duration.ZERO,
            0);
    return new Behaviour(
        RateSpec.constant(messagesPerSecond),
        ArrivalSpec.EVEN,
        KeySpec.NO_KEYS,
        Map.of(),
        OptionalLong.empty(),
        false,
        consume,
        Optional.empty(),
        Optional.empty(),
        0,
        Duration.ofSeconds(10),
        Optional.empty(),
        Durability.NONE);
  }

  /** A phase that ends after its duration. */
  public static PhasePlan phase(Kind kind, Duration duration, double messagesPerSecond) {
    List<RateSpec.Point> rate = List.of(new RateSpec.Point(Duration.ZERO, messagesPerSecond));
    return new PhasePlan(
        kind, duration, Duration.ZERO, Until.TIME, RateSpec.Pacing.FIXED, rate, false);
  }
}
