// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tailrace.loadgen.kafka.KafkaConfigNames;
import io.tailrace.loadgen.payload.PayloadHeader;
import io.tailrace.loadgen.plan.Plan.ConsumerPlan;
import io.tailrace.loadgen.plan.Plan.ProducerPlan;
import io.tailrace.loadgen.workload.Behaviour;
import io.tailrace.loadgen.workload.Driver;
import io.tailrace.loadgen.workload.Messages.MessageSpec;
import io.tailrace.loadgen.workload.Phases.PhasesSpec;
import io.tailrace.loadgen.workload.Topics.TopicSpec;
import io.tailrace.loadgen.workload.Workload;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.apache.kafka.common.internals.Topic;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlannerTest {
  private static final Driver DRIVER = Samples.driver(Map.of());

  static IntStream seeds() {
    return IntStream.range(0, 200);
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void workersTogetherHoldEachClientOnceAndTheWholeRate(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Workload workload = Samples.anyWorkload(random);
    int workers = random.nextInt(1, 7);
    List<Plan> plans =
        IntStream.range(0, workers)
            .mapToObj(worker -> plan(workload, Samples.worker(worker, workers)))
            .toList();

    List<ProducerPlan> producers =
        plans.stream().map(Plan::producers).flatMap(Collection::stream).toList();
    int producerCount = workload.topics().stream().mapToInt(TopicSpec::producers).sum();
    assertThat(producers)
        .extracting(ProducerPlan::producer)
        .containsExactlyInAnyOrderElementsOf(numbersBelow(producerCount));
    assertThat(producers.stream().mapToDouble(ProducerPlan::share).sum())
        .isEqualTo(1, within(1e-9));
    assertThat(producers).allMatch(p -> p.offsetShare() >= 0 && p.offsetShare() < 1);
    assertThat(producers.stream().map(ProducerPlan::offsetShare).distinct()).hasSize(producerCount);

    List<ConsumerPlan> consumers =
        plans.stream().map(Plan::consumers).flatMap(Collection::stream).toList();
    int groups = workload.topics().stream().mapToInt(TopicSpec::subscriptions).sum();
    assertThat(consumers)
        .extracting(ConsumerPlan::consumer)
        .containsExactlyInAnyOrderElementsOf(
            numbersBelow(groups * workload.topics().get(0).consumersPerSubscription()));
    assertThat(consumers.stream().map(ConsumerPlan::groupId).distinct()).hasSize(groups);
    assertThat(consumers).allMatch(c -> c.groupId().equals(c.topic() + "-sub-" + c.subscription()));

    assertThat(plans)
        .extracting(plan -> plan.producers().size())
        .allMatch(n -> n >= producerCount / workers && n <= producerCount / workers + 1);
  }

  @Test
  void equalInputGivesAnEqualPlan() {
    Workload workload = Samples.workload(3, 2, 2, 2);
    Plan first = plan(workload, Samples.worker(1, 2));
    Plan second = plan(workload, Samples.worker(1, 2));
    assertThat(second).usingRecursiveComparison().isEqualTo(first);
  }

  @Test
  void topicNamesAreValidForTheLongestRunId() {
    String runId = "r".repeat(128);
    PlanParameters parameters =
        new PlanParameters(runId, 0, 1, OptionalLong.empty(), Optional.of("localhost:9092"));
    Plan plan = plan(Samples.workload(2, 1, 1, 1), parameters);
    assertThat(plan.topics())
        .extracting(Plan.TopicPlan::name)
        .containsExactly(runId + "-0000000", runId + "-0000001")
        .allSatisfy(Topic::validate);
  }

  @Test
  void aWarmupOfZeroIsNoPhase() {
    Workload with = Samples.workload(1, 1, 1, 1);
    Plan plan = plan(with, Samples.worker(0, 1));
    assertThat(plan.phases())
        .containsExactly(
            PlainLoad.phase(PhasePlan.Kind.WARMUP, Duration.ofSeconds(2), 1000),
            PlainLoad.phase(PhasePlan.Kind.MEASURE, Duration.ofSeconds(8), 1000));

    PhasesSpec phases = with.phases();
    PhasesSpec cold =
        new PhasesSpec(
            Duration.ZERO,
            Optional.empty(),
            phases.warmupRate(),
            phases.settle(),
            phases.fill(),
            phases.measure(),
            phases.backlog(),
            phases.cooldown(),
            phases.drainTimeout());
    Workload without = Samples.workload(with.topics(), with.behaviour(), cold);
    assertThat(plan(without, Samples.worker(0, 1)).phases())
        .extracting(PhasePlan::name)
        .containsExactly("measure");
  }

  @Test
  void theCommandLinesBootstrapServersReachEveryClient() {
    Driver driver = Samples.driver(Map.of("bootstrap.servers", "elsewhere:1"));
    Plan plan =
        Planner.plan(
            Samples.workload(1, 1, 1, 1), driver, Samples.worker(0, 1), new KafkaConfigNames());
    assertThat(List.of(plan.config().admin(), plan.config().producer(), plan.config().consumer()))
        .allSatisfy(c -> assertThat(c).containsEntry("bootstrap.servers", "localhost:9092"));
    assertThat(plan.config().topic()).isEmpty();
  }

  @Test
  void theSeedDecidesAGeneratedPayload() {
    Workload workload = Samples.workload(1, 1, 1, 1);
    byte[] ofFile = plan(workload, Samples.worker(0, 1)).payload().bodies().get(0);
    byte[] again = plan(workload, seeded(42)).payload().bodies().get(0);
    byte[] other = plan(workload, seeded(43)).payload().bodies().get(0);
    assertThat(ofFile).hasSize(100).isEqualTo(again).isNotEqualTo(other);
    assertThat(new String(ofFile, StandardCharsets.US_ASCII)).matches("[A-Za-z0-9+/]{100}");
  }

  @ParameterizedTest
  @MethodSource("seeds")
  void aBoundedVolumeIsDistributedExactly(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long volume = random.nextLong(1, 1L << 50);
    List<TopicSpec> topics =
        IntStream.range(0, random.nextInt(1, 20))
            .mapToObj(i -> topic(random.nextInt(1, 8), random.nextDouble(0.01, 10)))
            .toList();
    Workload workload = Samples.workload(topics, bounded(volume));
    int workers = random.nextInt(1, 5);
    List<ProducerPlan> producers =
        IntStream.range(0, workers)
            .mapToObj(worker -> plan(workload, Samples.worker(worker, workers)))
            .map(Plan::producers)
            .flatMap(Collection::stream)
            .toList();
    assertThat(producers.stream().mapToLong(p -> p.messages().orElseThrow()).sum())
        .isEqualTo(volume);
    assertThat(producers).allMatch(p -> p.messages().orElseThrow() >= 0);
    assertThat(producers.stream().mapToDouble(ProducerPlan::share).sum())
        .isEqualTo(1, within(1e-9));
  }

  private static TopicSpec topic(int producers, double weight) {
    return new TopicSpec(Optional.empty(), 1, producers, 1, 1, false, weight);
  }

  private static Behaviour bounded(long messages) {
    Behaviour plain = PlainLoad.behaviour(1000);
    return new Behaviour(
        plain.rate(),
        plain.arrivals(),
        plain.keys(),
        plain.headers(),
        OptionalLong.of(messages),
        false,
        plain.consume(),
        plain.transactions(),
        plain.abortWhen(),
        0,
        plain.sampleEvery(),
        plain.reread(),
        plain.durability());
  }

  @Test
  void theSmallestMessageIsOneHeader() {
    assertThat(MessageSpec.LEAST_BYTES).isEqualTo(PayloadHeader.BYTES);
  }

  private static PlanParameters seeded(long seed) {
    return new PlanParameters("r", 0, 1, OptionalLong.of(seed), Optional.of("localhost:9092"));
  }

  private static Plan plan(Workload workload, PlanParameters parameters) {
    return Planner.plan(workload, DRIVER, parameters, new KafkaConfigNames());
  }

  private static List<Integer> numbersBelow(int count) {
    return IntStream.range(0, count).boxed().toList();
  }
}
