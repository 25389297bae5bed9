// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.kafka.BadInputException;
import io.tailrace.loadgen.kafka.KafkaBroker;
import io.tailrace.loadgen.plan.PhasePlan.Kind;
import io.tailrace.loadgen.plan.PlainLoad;
import io.tailrace.loadgen.plan.Plan;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunTest {
  @TempDir static Path folder;
  private static KafkaBroker broker;
  private static FakeCollector sink;

  @BeforeAll
  static void startBroker() throws Exception {
    broker = KafkaBroker.start(folder);
    sink = new FakeCollector();
  }

  @AfterAll
  static void stopBroker() throws Exception {
    sink.close();
    broker.close();
  }

  @Test
  void everyMessageIsSentAckedReceivedAndShipped() throws Exception {
    Plan plan =
        new TestPlan("whole", broker.bootstrapServers())
            .phases(
                PlainLoad.phase(Kind.WARMUP, Duration.ofSeconds(1), 500),
                PlainLoad.phase(Kind.MEASURE, Duration.ofSeconds(2), 500))
            .build();
    TestRun run = new TestRun(plan, sink, folder).start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    long messages = 1500 + TestPlan.PROBES;
    assertThat(run.counted("publishes", "sent")).isEqualTo(messages);
    assertThat(run.counted("publishes", "acked")).isEqualTo(messages);
    assertThat(run.counted("publishes", "failed")).isZero();
    assertThat(run.counted("deliveries", "received")).isEqualTo(TestPlan.GROUPS * messages);
    List<Map<String, Object>> publishes = run.rows("publishes");
    assertThat(publishes).hasSize((int) messages);
    assertThat(run.rows("deliveries").stream().map(row -> identity(row, row.get("subscription"))))
        .containsExactlyInAnyOrderElementsOf(
            publishes.stream()
                .flatMap(row -> List.of(identity(row, 0L), identity(row, 1L)).stream())
                .toList());
    assertThat(publishes)
        .allSatisfy(row -> assertThat((Long) row.get("publish_delay_us")).isNotNegative());
    assertThat(run.rows("partition_leaders")).hasSize(TestPlan.PARTITIONS);
    assertThat(run.rows("run_events"))
        .filteredOn(row -> row.get("kind").equals("topic"))
        .extracting(row -> row.get("name") + " " + row.get("detail"))
        .containsExactly(
            "settings {\"flush.messages\":\"9223372036854775807\",\"flush.ms\":\"9223372036854775807\","
                + "\"min.insync.replicas\":\"1\",\"unclean.leader.election.enable\":\"false\"}");
    assertThat(broker.topics()).isEmpty();
  }

  private static String identity(Map<String, Object> row, Object subscription) {
    return String.join(
        " ",
        subscription.toString(),
        row.get("producer").toString(),
        row.get("partition").toString(),
        row.get("offset").toString(),
        row.get("intended_time").toString());
  }

  @Test
  void phasesAreEventsAtTheirPlannedTimesAndInTheSummary() throws Exception {
    Plan plan =
        new TestPlan("phases", broker.bootstrapServers())
            .phases(
                PlainLoad.phase(Kind.WARMUP, Duration.ofSeconds(1), 100),
                PlainLoad.phase(Kind.MEASURE, Duration.ofSeconds(2), 300))
            .build();
    TestRun run = new TestRun(plan, sink, folder).start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    assertThat(run.phases()).containsExactly("probe", "warmup", "measure", "drain", "end");
    JsonNode summary = run.summary();
    JsonNode warmup = summary.get("phases").get(1);
    JsonNode measure = summary.get("phases").get(2);
    assertThat(warmup.get("end_us").asLong() - warmup.get("start_us").asLong())
        .isEqualTo(1_000_000);
    assertThat(measure.get("start_us")).isEqualTo(warmup.get("end_us"));
    assertThat(summary.get("phases").findValuesAsText("name"))
        .containsExactly("probe", "warmup", "measure", "drain");
    assertThat(summary.get("exit").asText()).isEqualTo("completed");
    long messages = 700 + TestPlan.PROBES;
    assertThat(summary.get("sent").asLong()).isEqualTo(messages);
    assertThat(summary.get("expected_received").asLong()).isEqualTo(2 * messages);
    assertThat(summary.get("received").asLong()).isEqualTo(2 * messages);
    assertThat(summary.get("drained").asBoolean()).isTrue();
    assertThat(summary.get("streams").get("deliveries").get("stored").asLong())
        .isEqualTo(2 * messages);
    // Only the plan decides a message's intended send: the first producer's first one is at the
    // very start.
    assertThat(
            run.rows("publishes").stream()
                .filter(row -> (Long) row.get("payload_bytes") == 100)
                .mapToLong(row -> (Long) row.get("intended_time"))
                .min())
        .hasValue(warmup.get("start_us").asLong());
    // A line a second: the second one may come just before the first second is over.
    assertThat(run.printed())
        .containsPattern(
            "measure 00:0[01]/00:02  sent \\d+/s  acked \\d+/s  received \\d+/s"
                + "  publish p50 [\\d.]+ ms p99 [\\d.]+ ms  end-to-end p50 [\\d.]+ ms p99 [\\d.]+ ms"
                + "  backlog \\d+  unshipped \\d+  failed 0");
  }

  @Test
  void stopEndsTheRunInOrder() throws Exception {
    Plan plan =
        new TestPlan("stopped", broker.bootstrapServers())
            .phases(PlainLoad.phase(Kind.MEASURE, Duration.ofMinutes(10), 500))
            .build();
    TestRun run = new TestRun(plan, sink, folder).start();
    run.awaitLine("measure 00:0[1-9]");
    run.stop();
    run.stop();

    assertThat(run.exitCode()).as(run::printed).isEqualTo(130);
    JsonNode summary = run.summary();
    assertThat(summary.get("exit").asText()).isEqualTo("interrupted");
    assertThat(summary.get("sent").asLong()).isPositive().isEqualTo(summary.get("acked").asLong());
    assertThat(summary.get("received")).isEqualTo(summary.get("expected_received"));
    assertThat(run.rows("publishes")).hasSize(summary.get("sent").asInt());
    assertThat(run.phases()).containsExactly("probe", "measure", "drain", "end");
    assertThat(broker.topics()).isEmpty();
  }

  @Test
  void messagesOfAnotherProgramAreCountedApart() throws Exception {
    TestPlan plan = new TestPlan("shared", broker.bootstrapServers());
    TestRun run = new TestRun(plan.build(), sink, folder).start();
    run.awaitLine("measure 00:0[1-2]");
    try (KafkaProducer<byte[], byte[]> other = broker.producer()) {
      for (int partition = 0; partition < TestPlan.PARTITIONS; partition++) {
        other.send(new ProducerRecord<>(plan.topic(), partition, null, new byte[50])).get();
      }
    }

    assertThat(run.exitCode()).as(run::printed).isZero();
    JsonNode summary = run.summary();
    long messages = 1500 + TestPlan.PROBES;
    assertThat(summary.get("sent").asLong()).isEqualTo(messages);
    assertThat(summary.get("received").asLong()).isEqualTo(2 * messages);
    assertThat(summary.get("foreign").asLong())
        .isEqualTo((long) TestPlan.GROUPS * TestPlan.PARTITIONS);
    assertThat(run.rows("deliveries")).hasSize((int) (2 * messages));
    assertThat(run.printed())
        .contains("warning: 6 messages received were written by other programs");
  }

  @Test
  void offsetsAreCommittedWhereTheClientDoesNot() throws Exception {
    Plan plan =
        new TestPlan("committed", broker.bootstrapServers())
            .consumer("enable.auto.commit", "false")
            .phases(PlainLoad.phase(Kind.MEASURE, Duration.ofMinutes(10), 500))
            .build();
    TestRun run = new TestRun(plan, sink, folder).start();
    run.awaitLine("measure");
    try (Admin admin = broker.admin()) {
      long deadline = System.nanoTime() + 30_000_000_000L;
      while (committed(admin, "committed-group-1") == 0 && System.nanoTime() - deadline < 0) {
        Thread.sleep(100);
      }
      assertThat(committed(admin, "committed-group-1")).isPositive();
    }
    run.stop();

    assertThat(run.exitCode()).isEqualTo(130);
  }

  private static long committed(Admin admin, String group) throws Exception {
    return admin
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .get()
        .values()
        .stream()
        .mapToLong(OffsetAndMetadata::offset)
        .sum();
  }

  @Test
  void aConsumerThatDiesFailsTheRunByName() throws Exception {
    Plan plan =
        new TestPlan("dying", broker.bootstrapServers())
            .consumer("auto.offset.reset", "none")
            .build();
    TestRun run = new TestRun(plan, sink, folder).start();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.printed())
        .containsPattern("(?m)^error: consumer [012]: NoOffsetForPartitionException: ");
    assertThat(run.summary().get("exit").asText()).isEqualTo("failed");
    assertThat(broker.topics()).isEmpty();
  }

  @Test
  void aReplicationFactorAboveTheBrokerCountIsBadInput() throws Exception {
    Plan plan = new TestPlan("replicated", broker.bootstrapServers()).replicationFactor(3).build();

    assertBadInput(
        plan, "replicationFactor: 3 is above the number of brokers, 1; lower it or add brokers");
    assertThat(broker.topics()).isEmpty();
  }

  @Test
  void aTopicThatExistsIsBadInputAndIsKept() throws Exception {
    TestPlan plan = new TestPlan("existing", broker.bootstrapServers());
    try (Admin admin = broker.admin()) {
      admin
          .createTopics(List.of(new NewTopic(plan.topic(), Optional.of(1), Optional.empty())))
          .all()
          .get();
      assertBadInput(
          plan.build(),
          "topic existing-topic-0: exists already; delete it or give the run another id");
      assertThat(broker.topics()).containsExactly(plan.topic());
      admin.deleteTopics(List.of(plan.topic())).all().get();
    }
  }

  @Test
  void aSettingTheClientRefusesIsBadInput() throws Exception {
    Plan plan =
        new TestPlan("refused", broker.bootstrapServers())
            .producer("enable.idempotence", "true")
            .producer("max.in.flight.requests.per.connection", "10")
            .build();

    assertThatThrownBy(() -> new TestRun(plan, sink, folder).start().exitCode())
        .cause()
        .isInstanceOf(BadInputException.class)
        .hasMessageStartingWith("producerConfig: ")
        .hasMessageContaining("max.in.flight.requests.per.connection");
    assertThat(broker.topics()).isEmpty();
  }

  @Test
  void anUnreachableBrokerIsBadInput() throws Exception {
    int unusedPort;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      unusedPort = socket.getLocalPort();
    }
    assertBadInput(
        new TestPlan("unreachable", "127.0.0.1:" + unusedPort).build(),
        "bootstrap.servers: no broker answered at 127.0.0.1:"
            + unusedPort
            + " within 10 s; start the broker or correct the address");
  }

  private static void assertBadInput(Plan plan, String message) {
    assertThatThrownBy(() -> new TestRun(plan, sink, folder).start().exitCode())
        .cause()
        .isInstanceOf(BadInputException.class)
        .hasMessage(message);
  }
}
