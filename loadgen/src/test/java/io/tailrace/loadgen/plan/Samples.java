// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.workload.Driver;
import io.tailrace.loadgen.workload.Workload;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;

/** Valid input for planning. */
final class Samples {
  private Samples() {}

  static Workload workload(int topics, int producers, int subscriptions, int consumers) {
    return new Workload(
        "sample",
        topics,
        4,
        100,
        Optional.empty(),
        subscriptions,
        producers,
        consumers,
        1000,
        Duration.ofSeconds(2),
        Duration.ofSeconds(8),
        Duration.ofSeconds(30),
        42);
  }

  static Workload anyWorkload(SplittableRandom random) {
    return workload(
        random.nextInt(1, 8), random.nextInt(1, 8), random.nextInt(1, 4), random.nextInt(1, 6));
  }

  static Driver driver(Map<String, String> common) {
    return new Driver("driver", (short) 3, Map.of(), common, Map.of("acks", "all"), Map.of());
  }

  static Assignment worker(int worker, int workers) {
    return new Assignment(
        "run-1", worker, workers, OptionalLong.empty(), Optional.of("localhost:9092"));
  }
}
