// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.kafka.KafkaBroker;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PhasesTest {
  @TempDir static Path folder;
  private static KafkaBroker broker;
  private static FakeCollector sink;
  private static WorkloadRun workloads;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = KafkaBroker.start(folder);
    sink = new FakeCollector();
    workloads = new WorkloadRun(folder, broker, sink);
  }

  @AfterAll
  static void stopBroker() throws Exception {
    sink.close();
    broker.close();
  }

  private static List<Object> events(TestRun run, String kind) {
    return run.rows("run_events").stream()
        .filter(row -> row.get("kind").equals(kind))
        .map(row -> row.get("name"))
        .toList();
  }

  private static long start(TestRun run, String phase) throws Exception {
    for (JsonNode each : run.summary().get("phases")) {
      if (each.get("name").asText().equals(phase)) {
        return each.get("start_us").asLong();
      }
    }
    throw new AssertionError("no phase " + phase);
  }

  @Test
  void aWarmUpThatIsNotSteadyEndsAtItsLimitAndStatesWhatIsMissing() throws Exception {
    TestRun run =
        workloads
            .of(
                "unsteady",
                """
                producerRate: 2000
                warmupDuration: 1s
                warmupUntilSteady: 4s
                testDuration: 1s
                """,
                "")
            .start();
    assertThat(run.exitCode()).as(run::printed).isZero();
    assertThat(run.phases()).containsExactly("probe", "warmup", "measure", "drain", "end");
    assertThat(start(run, "measure") - start(run, "warmup")).isBetween(3_900_000L, 4_100_000L);
    assertThat(run.rows("run_events"))
        .filteredOn(row -> row.get("kind").equals("phase_end"))
        .singleElement()
        .satisfies(
            row -> {
              assertThat(row.get("name")).isEqualTo("not_steady");
              assertThat((String) row.get("detail"))
                  .matches("[2-4] of 30 seconds with enough messages were seen");
            });
    assertThat(run.printed()).contains("warning: warmup: ended at its limit of 00:04: ");
  }

  @Test
  void consumersPausedBeyondTheirPollIntervalStayInTheirGroupAndDrainTheBacklog() throws Exception {
    TestRun run =
        workloads
            .of(
                "backlog",
                """
                consumerPerSubscription: 2
                producerRate: 2000
                testDuration: 1s
                backlog: {lasting: 9s, drainTimeout: 30s}
                cooldownDuration: 1s
                """,
                "max.poll.interval.ms=3000\nsession.timeout.ms=6000\nheartbeat.interval.ms=500\n")
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    assertThat(run.phases())
        .containsExactly(
            "probe", "measure", "backlog_build", "backlog_drain", "cooldown", "drain", "end");
    assertThat(events(run, "consumers")).containsExactly("paused", "resumed");
    assertThat(events(run, "phase_end")).contains("backlog_drained");
    // Partitions given at the start and taken at the end, and nothing lost in between.
    assertThat(events(run, "rebalance")).doesNotContain("lost");
    assertThat(
            run.rows("run_events").stream()
                .filter(row -> row.get("kind").equals("rebalance"))
                .mapToLong(row -> (Long) row.get("time")))
        .allSatisfy(
            time ->
                assertThat(time < startOf(run, "measure") || time > startOf(run, "drain"))
                    .isTrue());
    long resumed = start(run, "backlog_drain");
    long built = start(run, "backlog_build");
    List<Map<String, Object>> paused =
        run.rows("deliveries").stream()
            .filter(row -> (Long) row.get("receive_time") > built + 1_000_000)
            .filter(row -> (Long) row.get("receive_time") < resumed)
            .toList();
    assertThat(paused).isEmpty();
    assertThat(run.rows("deliveries")).hasSameSizeAs(run.rows("publishes"));
    assertThat(run.printed()).containsPattern("backlog_build 00:0[5-9]/00:09 .* backlog 1\\d{4}");
  }

  private static long startOf(TestRun run, String phase) {
    try {
      return start(run, phase);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void aBacklogThatDoesNotDrainEndsAtItsLimitWithThatVerdict() throws Exception {
    TestRun run =
        workloads
            .of(
                "stuck",
                """
                producerRate: 1000
                testDuration: 1s
                processingTime: 2ms
                backlog: {messages: 2000, drainTimeout: 2s}
                drainTimeout: 1s
                """)
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    assertThat(events(run, "phase_end")).containsExactly("backlog_built", "not_backlog_drained");
    assertThat(run.summary().get("verdicts").get(0).asText())
        .matches(
            "backlog_drain: ended at its limit of 00:02: \\d+ messages are left of a backlog of"
                + " \\d+");
  }

  @Test
  void boundedVolumeIsSentExactlyAndEndsThePhase() throws Exception {
    TestRun run =
        workloads
            .of(
                "volume",
                "producersPerTopic: 3\nmessages: 1000\nproducerRate: max\ntestDuration: 60s\n")
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    assertThat(run.rows("publishes").stream().filter(row -> bytes(row) == 100)).hasSize(1000);
    assertThat(events(run, "phase_end")).containsExactly("volume_sent");
    assertThat(run.rows("publishes"))
        .as("without a schedule a message is due when it is sent")
        .allSatisfy(row -> assertThat((Long) row.get("publish_delay_us")).isZero());
  }

  private static long bytes(Map<String, Object> row) {
    return (Long) row.get("payload_bytes");
  }

  @Test
  void warmUpHasItsOwnRate() throws Exception {
    TestRun run =
        workloads.of("own", "warmupDuration: 1s\nwarmupRate: 50\ntestDuration: 1s\n").start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    long measure = start(run, "measure");
    Map<Boolean, Long> sent =
        run.rows("publishes").stream()
            .filter(row -> bytes(row) == 100)
            .collect(
                Collectors.partitioningBy(
                    row -> (Long) row.get("intended_time") < measure, Collectors.counting()));
    assertThat(sent).isEqualTo(Map.of(true, 50L, false, 200L));
  }

  @Test
  void aRunBeyondItsBoundsEndsInOrderAndNamesTheBound() throws Exception {
    TestRun run =
        workloads
            .of(
                "abort",
                """
                messageSize: 10000
                producerRate: 2M/s
                testDuration: 10m
                abortWhen: {behind: 500ms}
                """)
            .start();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.summary().get("exit").asText()).isEqualTo("aborted");
    assertThat(run.summary().get("failure").asText())
        .matches(
            "abortWhen.behind: a producer was \\d+\\.\\d s behind its schedule, 0\\.5 s are allowed");
    assertThat(events(run, "alert")).containsExactly("abort");
    assertThat(run.rows("publishes")).hasSize(run.summary().get("acked").asInt());
    assertThat(broker.topics()).isEmpty();
  }

  @Test
  void keysPayloadsAndPartitionsAreTheSameForARandomSeed() throws Exception {
    String workload =
        """
        partitionsPerTopic: 3
        producersPerTopic: 2
        messageSizeDistribution: {"50-150": 3, "500-1000": 1}
        keys: zipf
        headers: {origin: test}
        arrivals: poisson
        messages: 600
        testDuration: 60s
        """;
    try (TopicReader reader = new TopicReader(broker)) {
      assertThat(contents(reader, "seed-1", workload))
          .isEqualTo(contents(reader, "seed-2", workload));
      assertThat(contents(reader, "seed-3", workload + "seed: 7\n"))
          .isNotEqualTo(contents(reader, "seed-4", workload));
    }
  }

  private static Map<String, String> contents(TopicReader reader, String id, String workload)
      throws Exception {
    reader.create(id, 3);
    String topic =
        "topics:\n  - {name: %s, existing: true, producers: 2, subscriptions: 1, consumers: 1}\n"
            .formatted(id);
    TestRun run = workloads.of(id, topic + workload).start();
    assertThat(run.exitCode()).as(run::printed).isZero();
    return reader.hashes(id);
  }

  @Test
  void dueTimesOfAllPhasesAreThoseOfTheSchedule() throws Exception {
    TestRun run =
        workloads.of("curve", "rateCurve: [{at: 0s, rate: 100}, {at: 2s, rate: 300}]\n").start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    long begin = start(run, "measure");
    List<Long> due =
        run.rows("publishes").stream()
            .filter(row -> bytes(row) == 100)
            .map(row -> (Long) row.get("intended_time") - begin)
            .sorted(Comparator.naturalOrder())
            .toList();
    // The area under the line from 100 to 300 over 2 s, and over its first second.
    assertThat(due).hasSize(400);
    assertThat(due.stream().filter(time -> time < 1_000_000)).hasSize(150);
  }

  @Test
  void consumptionMayStartLaterThanTheLoad() throws Exception {
    TestRun run = workloads.of("delayed", "consumeDelaySeconds: 2\ntestDuration: 4s\n").start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    long begin = start(run, "measure");
    assertThat(run.rows("deliveries").stream().filter(row -> bytes(row) == 100))
        .isNotEmpty()
        .allSatisfy(
            row ->
                assertThat((Long) row.get("receive_time"))
                    .isGreaterThanOrEqualTo(begin + 2_000_000L));
    assertThat(run.rows("deliveries")).hasSameSizeAs(run.rows("publishes"));
  }
}
