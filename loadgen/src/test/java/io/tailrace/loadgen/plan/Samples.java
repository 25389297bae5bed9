// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.workload.Behaviour;
import io.tailrace.loadgen.workload.Dialect;
import io.tailrace.loadgen.workload.Driver;
import io.tailrace.loadgen.workload.Messages.MessageSpec;
import io.tailrace.loadgen.workload.Messages.SizeSpec;
import io.tailrace.loadgen.workload.Payload.PayloadSpec;
import io.tailrace.loadgen.workload.Phases.PhasesSpec;
import io.tailrace.loadgen.workload.Topics.TopicSpec;
import io.tailrace.loadgen.workload.Workload;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/** Valid input for planning. */
final class Samples {
  private Samples() {}

  static Workload workload(int topics, int producers, int subscriptions, int consumers) {
    TopicSpec topic =
        new TopicSpec(Optional.empty(), 4, producers, subscriptions, consumers, false, 1);
    return workload(Collections.nCopies(topics, topic), PlainLoad.behaviour(1000));
  }

  static Workload workload(List<TopicSpec> topics, Behaviour behaviour) {
    PhasesSpec phases =
        new PhasesSpec(
            Duration.ofSeconds(2),
            Optional.empty(),
            OptionalDouble.empty(),
            Duration.ZERO,
            Optional.empty(),
            Duration.ofSeconds(8),
            Optional.empty(),
            Duration.ZERO,
            Duration.ofSeconds(30));
    return workload(topics, behaviour, phases);
  }

  static Workload workload(List<TopicSpec> topics, Behaviour behaviour, PhasesSpec phases) {
    return new Workload(
        "sample",
        Dialect.TAILRACE,
        42,
        1,
        topics,
        new MessageSpec(SizeSpec.of(100), new PayloadSpec.Generated()),
        behaviour,
        phases,
        List.of(),
        List.of());
  }

  static Workload anyWorkload(SplittableRandom random) {
    return workload(
        random.nextInt(1, 8), random.nextInt(1, 8), random.nextInt(1, 4), random.nextInt(1, 6));
  }

  static Driver driver(Map<String, String> common) {
    return new Driver(
        "driver",
        (short) 3,
        Map.of(),
        common,
        Map.of("acks", "all"),
        Map.of(),
        OptionalInt.empty(),
        List.of());
  }

  static PlanParameters worker(int worker, int workers) {
    return new PlanParameters(
        "run-1", worker, workers, OptionalLong.empty(), Optional.of("localhost:9092"));
  }
}
