// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.kafka.KafkaBroker;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs with {@code acks=0}, where brokers answer nothing. */
class UnansweredTest {
  private static final String UNANSWERED = "acks=0\n";

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

  /** What both ends know of a message, with how often they do. */
  private static Map<String, Long> known(List<Map<String, Object>> rows) {
    return rows.stream()
        .collect(
            Collectors.groupingBy(
                row ->
                    String.join(
                        " ",
                        row.get("topic").toString(),
                        row.get("partition").toString(),
                        row.get("producer").toString(),
                        row.get("intended_time").toString()),
                Collectors.counting()));
  }

  private static void assertAllReceived(TestRun run, long messages, int groups) throws Exception {
    assertThat(run.counted("publishes", "sent")).isEqualTo(messages);
    assertThat(run.counted("publishes", "acked")).as("handed over").isEqualTo(messages);
    Map<String, Long> sent = known(run.rows("publishes"));
    sent.replaceAll((message, count) -> count * groups);
    List<Map<String, Object>> events = run.rows("run_events");
    assertThat(known(run.rows("deliveries"))).as(() -> "after " + events).isEqualTo(sent);
    assertThat(run.rows("publishes")).extracting(row -> row.get("offset")).containsOnly(-1L);
    assertThat(run.rows("deliveries"))
        .allSatisfy(row -> assertThat((Long) row.get("offset")).isNotNegative());
    assertThat(run.summary().get("drained").asBoolean()).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {"group", "share"})
  void messagesHandedOverAreReceivedWithoutKnownOffsets(String type) throws Exception {
    String clients = "producersPerTopic: 2\nsubscriptionsPerTopic: 2\nconsumerType: " + type + "\n";
    TestRun run = workloads.of("unanswered-" + type, clients, "", UNANSWERED).start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    // A share group may ask for the probe again.
    long probes = run.counted("publishes", "sent") - 400;
    assertThat(probes).isPositive();
    assertAllReceived(run, 400 + probes, 2);
  }

  @Test
  void whatTheBrokerDidNotTakeIsCountedAndTheRunEnds() throws Exception {
    // The broker refuses the large half of the messages, and closes the connection.
    TestRun run =
        workloads
            .of(
                "refused",
                "messageSizeDistribution: {\"100-100\": 1, \"2000-2000\": 1}\ndrainTimeout: 60s\n",
                "",
                UNANSWERED,
                "max.message.bytes=1000\n")
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    long sent = run.counted("publishes", "sent");
    long received = run.counted("deliveries", "received");
    assertThat(run.counted("publishes", "acked") + run.counted("publishes", "failed"))
        .isEqualTo(sent);
    assertThat(received).isPositive().isLessThan(sent * 3 / 4);
    assertThat(run.summary().get("drained").asBoolean()).as("all there is in the logs").isTrue();
    Set<String> unknown = new HashSet<>(known(run.rows("deliveries")).keySet());
    unknown.removeAll(known(run.rows("publishes")).keySet());
    assertThat(unknown).isEmpty();
  }

  @Test
  void aBacklogIsWhatTheLogsHoldAndNoGroupHasRead() throws Exception {
    TestRun run =
        workloads
            .of(
                "behind",
                "producerRate: 2000\ntestDuration: 1s\nbacklog: {messages: 5000, drainTimeout: 30s}\n",
                "",
                UNANSWERED)
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    assertThat(run.rows("run_events"))
        .extracting(row -> row.get("kind") + " " + row.get("name"))
        .contains("phase_end backlog_built", "phase_end backlog_drained");
    assertAllReceived(run, run.counted("publishes", "sent"), 1);
  }

  @Test
  void aTopicWithAPastIsReadToWhereItEnds() throws Exception {
    try (Admin admin = broker.admin()) {
      admin.createTopics(List.of(new NewTopic("past", 2, (short) 1))).all().get();
    }
    String both = "topics: [{name: past, existing: true, producers: 1, subscriptions: 1}]\n";
    TestRun first = workloads.of("first", both, "", UNANSWERED).start();
    assertThat(first.exitCode()).as(first::printed).isZero();
    TestRun second = workloads.of("second", both, "", UNANSWERED).start();
    assertThat(second.exitCode()).as(second::printed).isZero();

    assertAllReceived(first, first.counted("publishes", "sent"), 1);
    assertAllReceived(second, second.counted("publishes", "sent"), 1);
    assertThat(second.counted("deliveries", "other_run"))
        .as("the topic's past is read, and is not the second run's")
        .isEqualTo(first.counted("publishes", "sent"));
    assertThat(second.summary().get("drained").asBoolean()).isTrue();
  }

  @Test
  void twoWorkersReceiveTogetherWhatBothHandedOver() throws Exception {
    List<TestRun> both =
        workloads.ofTwo(
            "unanswered-two", "producersPerTopic: 2\nconsumerPerSubscription: 2\n", UNANSWERED, "");
    for (TestRun run : both) {
      assertThat(run.exitCode()).as(run::printed).isZero();
    }
    TestRun run = both.get(0);
    Map<String, Long> sent = known(run.rows("publishes"));
    assertThat(run.counted("publishes", "acked")).as("handed over").isEqualTo(sent.size());
    Map<String, Long> received = known(run.rows("deliveries"));
    assertThat(received).containsOnlyKeys(sent.keySet());
    // The group rebalances when the first worker leaves it. A group delivers at least once, so the
    // other worker may then receive messages again whose offsets were not committed.
    List<String> assigned =
        run.rows("run_events").stream()
            .filter(
                row -> row.get("kind").equals("rebalance") && row.get("name").equals("assigned"))
            .flatMap(row -> partitions(row.get("detail").toString()))
            .toList();
    received.forEach(
        (message, count) ->
            assertThat(count)
                .as("%s, partitions assigned %s", message, assigned)
                .isLessThanOrEqualTo(Collections.frequency(assigned, message.split(" ")[1])));
    assertThat(run.rows("publishes")).extracting(row -> row.get("worker")).contains(0L, 1L);
  }

  /** Partitions in the detail of a rebalance event, such as {"consumer":0,"partitions":[0,1]}. */
  private static Stream<String> partitions(String detail) {
    String list = detail.substring(detail.indexOf('[') + 1, detail.indexOf(']'));
    return list.isEmpty() ? Stream.empty() : Stream.of(list.split(","));
  }
}
