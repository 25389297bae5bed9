// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.tailrace.loadgen.agreement.Agreement;
import io.tailrace.loadgen.agreement.AgreementEndpoint;
import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.kafka.KafkaBroker;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What several workers agree on. */
class TwoWorkersTest {
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

  /** Waits for both; the run has the rows of both then. */
  private static TestRun ended(List<TestRun> both) throws Exception {
    for (TestRun run : both) {
      assertThat(run.exitCode()).as(run::printed).isZero();
      assertThat(run.summary().get("drained").asBoolean()).as(run::printed).isTrue();
    }
    return both.get(0);
  }

  /** Offsets with how often each is there. */
  private static Map<String, Long> places(List<Map<String, Object>> rows) {
    return rows.stream()
        .collect(
            Collectors.groupingBy(
                row -> row.get("topic") + "/" + row.get("partition") + "@" + row.get("offset"),
                Collectors.counting()));
  }

  /** Workers that noted an event, with when. */
  private static Map<Object, Long> noted(TestRun run, String kind, String name) {
    return run.rows("run_events").stream()
        .filter(row -> row.get("kind").equals(kind) && row.get("name").equals(name))
        .collect(Collectors.toMap(row -> row.get("worker"), row -> (Long) row.get("time")));
  }

  @Test
  void aShareGroupHandsOutToBothWhatBothHaveSent() throws Exception {
    TestRun run =
        ended(
            workloads.ofTwo(
                "share-two",
                "consumerType: share\nproducersPerTopic: 2\nconsumerPerSubscription: 4\n",
                "",
                ""));

    assertThat(places(run.rows("deliveries"))).isEqualTo(places(run.rows("publishes")));
    assertThat(run.counted("deliveries", "redelivered")).isZero();
    assertThat(run.rows("deliveries").stream().map(row -> row.get("consumer")).distinct())
        .as("the probe has reached every consumer")
        .hasSize(4);
    assertThat(run.rows("publishes")).extracting(row -> row.get("worker")).contains(0L, 1L);
    assertThat(broker.topics()).isEmpty();
  }

  @Test
  void bothReadToTheEndAndEndTogether() throws Exception {
    try (Admin admin = broker.admin()) {
      admin.createTopics(List.of(new NewTopic("kept", 4, (short) 1))).all().get();
    }
    TestRun written =
        workloads
            .of(
                "written",
                """
                topics:
                  - {name: kept, existing: true, producers: 2, subscriptions: 0}
                messages: 20000
                producerRate: 20000
                testDuration: 60s
                """)
            .start();
    assertThat(written.exitCode()).as(written::printed).isZero();

    Map<String, Long> twice = places(written.rows("publishes"));
    twice.replaceAll((place, count) -> 2 * count);
    TestRun run =
        ended(
            workloads.ofTwo(
                "read-two",
                """
                topics:
                  - {name: kept, existing: true, producers: 0, subscriptions: 2, consumers: 2}
                readToEnd: true
                testDuration: 60s
                """,
                "",
                ""));

    assertThat(places(run.rows("deliveries"))).isEqualTo(twice);
    assertThat(run.rows("deliveries")).extracting(row -> row.get("worker")).contains(0L, 1L);
    assertThat(noted(run, "phase_end", "end_read")).containsOnlyKeys(0L, 1L);
    assertThat(noted(run, "phase_end", "decided_alone")).isEmpty();

    // A share group that only reads joins when the load begins: no worker may wait for it before.
    TestRun shared =
        ended(
            workloads.ofTwo(
                "share-read-two",
                """
                consumerType: share
                topics:
                  - {name: kept, existing: true, producers: 0, subscriptions: 1, consumers: 2}
                testDuration: 2s
                """,
                "",
                ""));
    assertThat(noted(shared, "phase", "measure")).containsOnlyKeys(0L, 1L);
    try (Admin admin = broker.admin()) {
      admin.deleteTopics(List.of("kept")).all().get();
    }
  }

  @Test
  void bothMeasureFromTheMomentOnAtWhichRetentionWasReached() throws Exception {
    TestRun run =
        ended(
            workloads.ofTwo(
                "filled-two",
                """
                messageSize: 20000
                producersPerTopic: 2
                consumerPerSubscription: 2
                producerRate: 500
                measureAfter: retentionReached
                retentionFill: {timeout: 60s, rate: 500}
                testDuration: 1s
                """,
                "",
                "segment.bytes=1048576\nretention.bytes=1048576\n"));

    assertThat(noted(run, "phase_end", "retention_reached")).containsOnlyKeys(0L, 1L);
    assertThat(noted(run, "phase_end", "decided_alone")).isEmpty();
    Map<Object, Long> measured = noted(run, "phase", "measure");
    assertThat(measured).containsOnlyKeys(0L, 1L);
  }

  @Test
  void bothEndTheirWarmUpWhenTheLeaderDoes() throws Exception {
    TestRun run =
        ended(
            workloads.ofTwo(
                "warm-two",
                """
                producersPerTopic: 2
                consumerPerSubscription: 2
                producerRate: 500
                warmupDuration: 1s
                warmupUntilSteady: 5s
                testDuration: 1s
                """,
                "",
                ""));

    assertThat(noted(run, "phase_end", "not_steady")).containsOnlyKeys(0L, 1L);
    assertThat(noted(run, "phase_end", "decided_alone")).isEmpty();
    Map<Object, Long> measured = noted(run, "phase", "measure");
    assertThat(Math.abs(measured.get(0L) - measured.get(1L))).isLessThan(1_000_000L);
  }

  @Test
  void bothSeeThatABacklogIsDrainedLongBeforeTheirGroupCommits() throws Exception {
    TestRun run =
        ended(
            workloads.ofTwo(
                "drained-two",
                """
                producersPerTopic: 2
                consumerPerSubscription: 2
                producerRate: 2000
                testDuration: 1s
                backlog: {messages: 6000, drainTimeout: 20s}
                """,
                "enable.auto.commit=true\nauto.commit.interval.ms=600000\n"));

    assertThat(noted(run, "phase_end", "backlog_drained")).containsOnlyKeys(0L, 1L);
    assertThat(noted(run, "phase_end", "decided_alone")).isEmpty();
  }

  @Test
  void aWorkerWhoseLeaderIsLostEndsAfterItsPhase() throws Exception {
    AgreementEndpoint endpoint = WorkloadRun.agreement();
    TestRun run;
    try (Agreement leader = endpoint.start(0, 2)) {
      run =
          workloads.follower(
              "leaderless",
              """
              producersPerTopic: 2
              consumerPerSubscription: 2
              warmupDuration: 6s
              testDuration: 60s
              """,
              endpoint);
      run.awaitLine("warmup 00:0");
      assertThat(leader.othersActive()).isTrue();
    }

    assertThat(run.exitCode()).as(run::printed).isEqualTo(1);
    assertThat(run.phases()).containsExactly("probe", "warmup", "drain", "end");
    assertThat(noted(run, "error", "leader_lost")).containsOnlyKeys(1L);
    assertThat(noted(run, "error", "phases_skipped")).containsOnlyKeys(1L);
    JsonNode summary = run.summary();
    String line = "worker 0 does not answer at " + endpoint.url() + ": the connection was refused";
    assertThat(summary.get("failure").asText()).isEqualTo(line);
    assertThat(summary.get("drained").asBoolean()).isTrue();
    // Its half of the rate for the whole phase, after the probe.
    assertThat(summary.get("sent").asLong()).isEqualTo(6 * 100 + 2);
    try (Admin admin = broker.admin()) {
      admin.deleteTopics(broker.topics()).all().get();
    }
  }

  @Test
  void oneThatHasNothingToDoWaitsForTheOtherAndEndsToo() throws Exception {
    TestRun run = ended(workloads.ofTwo("idle-two", "messages: 400\ntestDuration: 60s\n", "", ""));

    assertThat(run.counted("publishes", "acked")).isEqualTo(400 + 2);
    assertThat(places(run.rows("deliveries"))).isEqualTo(places(run.rows("publishes")));
    assertThat(run.rows("publishes").stream().map(row -> row.get("worker")).distinct()).hasSize(1);
    assertThat(noted(run, "phase", "end")).containsOnlyKeys(0L, 1L);
  }
}
