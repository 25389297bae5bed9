// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.workload.Backlog.BacklogSpec;
import io.tailrace.loadgen.workload.Behaviour.AbortSpec;
import io.tailrace.loadgen.workload.Consume.ConsumeSpec;
import io.tailrace.loadgen.workload.Keys.KeySpec;
import io.tailrace.loadgen.workload.Messages.SizeSpec;
import io.tailrace.loadgen.workload.Messages.SizeSpec.Bucket;
import io.tailrace.loadgen.workload.Payload.PayloadSpec;
import io.tailrace.loadgen.workload.Phases.PhasesSpec;
import io.tailrace.loadgen.workload.Phases.PhasesSpec.Fill;
import io.tailrace.loadgen.workload.Problems.Problem;
import io.tailrace.loadgen.workload.Produce.ArrivalSpec;
import io.tailrace.loadgen.workload.Produce.TransactionSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec.Origin;
import io.tailrace.loadgen.workload.Rate.RateSpec.Pacing;
import io.tailrace.loadgen.workload.Rate.RateSpec.Point;
import io.tailrace.loadgen.workload.Slo.SloSpec;
import io.tailrace.loadgen.workload.Slo.SloSpec.Direction;
import io.tailrace.loadgen.workload.Topics.TopicSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every field of every dialect, and what it comes to. */
class DialectsTest {
  private static final long GIB = 1L << 30;

  @TempDir Path folder;

  @Test
  void upstream() {
    Workload workload = read("omb");
    assertThat(workload.dialect()).isEqualTo(Dialect.OMB);
    assertThat(workload.behaviour().keys())
        .isEqualTo(new KeySpec(KeySpec.Choice.ROUND_ROBIN, 10_000, 10, 0));
    assertThat(workload.message().payload()).isEqualTo(new PayloadSpec.RandomPool(100, 0.5));
    assertThat(workload.message().size().buckets())
        .containsExactly(
            new Bucket(28, 256, 10), new Bucket(256, 1024, 5), new Bucket(1024, 4096, 1));
    BacklogSpec backlog = workload.phases().backlog().orElseThrow();
    assertThat(backlog.bytes()).hasValue(100 * GIB);
    assertThat(backlog.drainRatio()).isEqualTo(0.99);
    assertThat(backlog.beforeMeasure()).isTrue();
    assertThat(workload.behaviour().consume().delay()).isEqualTo(Duration.ofSeconds(30));
    assertThat(workload.notes()).anyMatch(note -> note.contains("payloadFile is not used"));
  }

  @Test
  void redpandas() {
    Workload workload = read("redpanda");
    assertThat(workload.dialect()).isEqualTo(Dialect.REDPANDA);
    assertThat(workload.phases().warmup()).isEqualTo(Duration.ofMinutes(30));
    assertThat(workload.topics())
        .containsExactly(
            existing("both", 2, 1),
            existing("written", 2, 0),
            existing("crossed", 2, 1),
            existing("read", 0, 1));
    assertThat(workload.behaviour().rate().pacing()).isEqualTo(Pacing.DISCOVER);
    assertThat(workload.behaviour().sampleEvery()).isEqualTo(Duration.ofSeconds(1));
    assertThat(((PayloadSpec.Files) workload.message().payload()).files().get(0).made()).isTrue();
  }

  private static TopicSpec existing(String name, int producers, int subscriptions) {
    return new TopicSpec(Optional.of(name), 0, producers, subscriptions, 2, true, 1);
  }

  @Test
  void vanlightlys() {
    Workload workload = read("vanlightly");
    PhasesSpec phases = workload.phases();
    assertThat(workload.dialect()).isEqualTo(Dialect.VANLIGHTLY);
    assertThat(phases.warmup()).isEqualTo(Duration.ofMinutes(30));
    assertThat(phases.warmupRate()).isEqualTo(OptionalDouble.of(10_000));
    assertThat(phases.settle()).isEqualTo(Duration.ofMinutes(5));
    assertThat(phases.backlog().orElseThrow().buildRate()).isEqualTo(OptionalDouble.of(90_000));
    assertThat(workload.behaviour().keys().choice()).isEqualTo(KeySpec.Choice.RANDOM);
    assertThat(workload.behaviour().sampleEvery()).isEqualTo(Duration.ofSeconds(5));
  }

  @Test
  void automqs() {
    Workload workload = read("automq");
    assertThat(workload.dialect()).isEqualTo(Dialect.AUTOMQ);
    assertThat(workload.topics())
        .containsExactly(
            new TopicSpec(Optional.of("test-topic-0000000"), 1, 4, 1, 2, false, 4),
            new TopicSpec(Optional.of("test-topic-0000001"), 4, 1, 1, 2, false, 1));
    RateSpec rate = workload.behaviour().rate();
    assertThat(rate.origin()).isEqualTo(Origin.DAY);
    assertThat(rate.curve())
        .containsExactly(
            new Point(Duration.ofHours(4), 1_000),
            new Point(Duration.ofMinutes(270), 20_000),
            new Point(Duration.ofHours(5), 1_000));
    assertThat(workload.behaviour().sampleEvery()).isEqualTo(Duration.ofSeconds(1));
  }

  @Test
  void oursHasTopicsMessagesAndRates() {
    Workload workload = read("tailrace");
    assertThat(workload.topics()).hasSize(12);
    assertThat(workload.topics().get(0))
        .isEqualTo(new TopicSpec(Optional.of("orders"), 16, 4, 2, 3, false, 3));
    assertThat(workload.topics().get(11))
        .isEqualTo(new TopicSpec(Optional.of("archive"), 0, 0, 1, 1, true, 1));
    assertThat(workload.message().size()).isEqualTo(SizeSpec.of(1024));
    Behaviour behaviour = workload.behaviour();
    assertThat(behaviour.keys()).isEqualTo(new KeySpec(KeySpec.Choice.ZIPF, 100, 16, 0.5));
    assertThat(behaviour.headers()).isEqualTo(Map.of("origin", "benchmark", "trace.hint", "none"));
    assertThat(behaviour.rate().curve())
        .containsExactly(
            new Point(Duration.ZERO, 10e6 / 1024), new Point(Duration.ofMinutes(10), 20_000));
    assertThat(behaviour.arrivals())
        .isEqualTo(
            new ArrivalSpec(
                ArrivalSpec.Pattern.BURSTS, Duration.ofSeconds(1), Duration.ofMillis(100)));
    assertThat(behaviour.messages()).isEqualTo(OptionalLong.of(9_765_625));
    assertThat(behaviour.consume().threads()).isEqualTo(ConsumeSpec.Threads.POOL);
    assertThat(behaviour.consume().threadCount()).isEqualTo(4);
    assertThat(behaviour.consume().processing())
        .contains(new ConsumeSpec.Processing(Duration.ofMillis(5), true));
    assertThat(behaviour.transactions()).contains(new TransactionSpec(100, 0.01));
    assertThat(behaviour.abortWhen())
        .contains(
            new AbortSpec(Duration.ofSeconds(30), OptionalDouble.of(0.01), Duration.ofSeconds(5)));
    assertThat(behaviour.traceOneIn()).isEqualTo(10_000);
  }

  @Test
  void oursHasPhasesAndBounds() {
    Workload workload = read("tailrace");
    PhasesSpec phases = workload.phases();
    assertThat(workload.seed()).isEqualTo(7);
    assertThat(workload.repeat()).isEqualTo(3);
    assertThat(phases.warmupRate()).isEqualTo(OptionalDouble.of(1_000));
    assertThat(phases.fill())
        .contains(new Fill(Duration.ofHours(6), OptionalDouble.of(500e6 / 1024)));
    assertThat(phases.backlog())
        .contains(
            new BacklogSpec(
                OptionalLong.of(5 * GIB),
                OptionalLong.of(1_000_000),
                Duration.ofMinutes(10),
                OptionalDouble.of(2_000),
                Duration.ofHours(1),
                0.99,
                Duration.ofHours(2),
                false));
    assertThat(phases.cooldown()).isEqualTo(Duration.ofSeconds(30));
    assertThat(workload.slo())
        .containsExactly(
            new SloSpec("endToEnd.p99", Direction.AT_MOST, 50_000, "50ms"),
            new SloSpec("publish.p99.9", Direction.AT_MOST, 20_000, "20ms"),
            new SloSpec("published", Direction.AT_LEAST, 15_000, "15k/s"),
            new SloSpec("errorRate", Direction.AT_MOST, 0.001, "0.1%"),
            new SloSpec("lost", Direction.AT_MOST, 0, "0"),
            new SloSpec("backlogDrain", Direction.AT_MOST, 1.8e9, "30m"));
  }

  @ParameterizedTest
  @CsvSource({
    // driver's class, dialect of the option, what it comes to, minutes of warm-up, note
    "kafka.Kafka, , OMB, 1, 'dialect omb, guessed from fields that all dialects share; warm-up 1"
        + " min: dialect redpanda would make it 30 min (--dialect redpanda)'",
    "redpanda.Redpanda, , REDPANDA, 30, 'dialect redpanda, guessed from the driver file''s"
        + " driverClass; warm-up 30 min: dialect omb would make it 1 min (--dialect omb)'",
    "redpanda.Redpanda, OMB, OMB, 1, ",
    "kafka.Kafka, VANLIGHTLY, VANLIGHTLY, 30, ",
  })
  void fieldsThatAllShareAreReadAsTheUserOrTheDriverSays(
      String driverClass, Dialect named, Dialect dialect, int minutes, String note)
      throws IOException {
    Path driver = folder.resolve("driver.yaml");
    String name = "io.openmessaging.benchmark.driver." + driverClass + "BenchmarkDriver";
    Files.writeString(driver, "name: x\ndriverClass: " + name + "\nreplicationFactor: 3\n");
    Path file = folder.resolve("shared.yaml");
    Files.writeString(
        file,
        """
        topics: 1
        partitionsPerTopic: 1
        messageSize: 1024
        subscriptionsPerTopic: 1
        producersPerTopic: 1
        consumerPerSubscription: 1
        producerRate: 1000
        testDurationMinutes: 5
        """);
    Problems problems = new Problems();
    Workload workload =
        Campaign.read(file, problems)
            .orElseThrow()
            .workload(0, Dialect.Hint.of(named, driver), problems);
    assertThat(problems.all()).extracting(Problem::text).isEqualTo(List.of());
    assertThat(workload.dialect()).isEqualTo(dialect);
    assertThat(workload.phases().warmup()).isEqualTo(Duration.ofMinutes(minutes));
    assertThat(workload.notes())
        .filteredOn(each -> each.startsWith("dialect"))
        .isEqualTo(note == null ? List.of() : List.of(note));
  }

  private static Workload read(String name) {
    Path file = Path.of("..", "testdata", "workloads", "dialects", name + ".yaml");
    Problems problems = new Problems();
    Workload workload =
        Campaign.read(file, problems).orElseThrow().workload(0, Dialect.Hint.NONE, problems);
    assertThat(problems.all()).extracting(Problem::text).isEqualTo(List.of());
    return workload;
  }
}
