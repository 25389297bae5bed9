// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.kafka.KafkaBroker;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ConsumerModesTest {
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

  private static void assertExact(TestRun run, int groups) throws Exception {
    assertThat(run.exitCode()).as(run::printed).isZero();
    JsonNode summary = run.summary();
    assertThat(summary.get("drained").asBoolean()).isTrue();
    assertThat(offsets(run.rows("publishes"), 1))
        .isEqualTo(offsets(run.rows("deliveries"), groups));
    assertThat(run.counted("deliveries", "received")).isEqualTo(run.rows("deliveries").size());
  }

  /** Offsets with how often each is there, divided by the groups. */
  private static Map<String, Long> offsets(List<Map<String, Object>> rows, int groups) {
    Map<String, Long> counted =
        rows.stream()
            .collect(
                Collectors.groupingBy(
                    row -> row.get("topic") + "/" + row.get("partition") + "@" + row.get("offset"),
                    Collectors.counting()));
    counted.replaceAll((place, count) -> count / groups);
    return counted;
  }

  @ParameterizedTest
  @ValueSource(strings = {"one", "perPartition", "{pool: 3}"})
  void everyMessageArrivesWithEveryKindOfHandler(String threads) throws Exception {
    String id = "threads-" + threads.replaceAll("[^a-zA-Z0-9]", "");
    TestRun run =
        workloads.of(id, "subscriptionsPerTopic: 2\nconsumerThreads: " + threads + "\n").start();

    assertExact(run, 2);
    assertThat(run.counted("publishes", "sent")).isEqualTo(400 + 2);
  }

  @Test
  void consumersThatShareTheDriversClientIdReceiveEverything() throws Exception {
    String shared = "client.id=omb,az=one\nclient.rack=one\n";
    TestRun run = workloads.of("named", "consumerPerSubscription: 2\n", shared, shared).start();

    assertExact(run, 1);
    assertThat(run.rows("deliveries").stream().map(row -> row.get("consumer")).distinct())
        .hasSize(2);
  }

  @Test
  void processingTakesItsTimeAndMoreThreadsTakeMoreMessages() throws Exception {
    // 200 messages a second that take 20 ms each are 4 s of work a second.
    TestRun alone = workloads.of("work-one", "processingTime: 20ms\ndrainTimeout: 1s\n").start();
    TestRun eight =
        workloads.of("work-pool", "processingTime: 20ms\nconsumerThreads: {pool: 8}\n").start();

    assertExact(eight, 1);
    assertThat(alone.exitCode()).as(alone::printed).isZero();
    assertThat(alone.summary().get("drained").asBoolean()).isFalse();
    assertThat(alone.rows("deliveries").size()).isLessThan(402);
  }

  @Test
  void aShareGroupHandsOutEveryMessage() throws Exception {
    TestRun run =
        workloads
            .of("shared", "consumerType: share\nconsumerPerSubscription: 3\ntestDuration: 4s\n")
            .start();

    assertExact(run, 1);
    assertThat(run.rows("deliveries").stream().map(row -> row.get("consumer")).distinct())
        .as("the probe has reached every consumer")
        .hasSize(3);
    assertThat(run.counted("deliveries", "redelivered")).isZero();
  }

  @Test
  void aShareGroupReceivesWhatItReleasedAgainWithAHigherCount() throws Exception {
    TestRun run =
        workloads
            .of("released", "consumerType: share\nreleaseRatio: 10%\nconsumerPerSubscription: 2\n")
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    assertThat(run.summary().get("drained").asBoolean()).isTrue();
    List<String> released = new ArrayList<>();
    List<String> redelivered = new ArrayList<>();
    for (Map<String, Object> event : run.rows("run_events")) {
      if (event.get("kind").equals("share")) {
        JsonNode detail = new ObjectMapper().readTree((String) event.get("detail"));
        String place = detail.get("partition") + "@" + detail.get("offset") + " ";
        if (event.get("name").equals("released")) {
          released.add(place + (detail.get("count").asInt() + 1));
        } else {
          assertThat(event.get("name")).isEqualTo("redelivered");
          redelivered.add(place + detail.get("count"));
        }
      }
    }
    assertThat(released).hasSizeGreaterThan(20).anyMatch(each -> each.endsWith(" 3"));
    assertThat(redelivered).containsExactlyInAnyOrderElementsOf(released);
    assertThat(run.rows("deliveries")).hasSize(run.rows("publishes").size() + released.size());
    assertThat(run.counted("deliveries", "redelivered")).isEqualTo(released.size());
  }

  @Test
  void topicsThatOnlyWriteOrReadOrExistAreRunAsTheyAre() throws Exception {
    try (Admin admin = broker.admin()) {
      admin.createTopics(List.of(new NewTopic("kept", 3, (short) 1))).all().get();
    }
    TestRun written =
        workloads
            .of(
                "written",
                """
                topics:
                  - {name: kept, existing: true, producers: 2, subscriptions: 0}
                messages: 500
                testDuration: 60s
                """)
            .start();
    assertThat(written.exitCode()).as(written::printed).isZero();
    assertThat(written.rows("deliveries")).isEmpty();
    assertThat(written.counted("publishes", "acked")).isEqualTo(500 + 3);
    assertThat(broker.topics()).contains("kept");

    TestRun read =
        workloads
            .of(
                "read",
                """
                topics:
                  - {name: kept, existing: true, producers: 0, subscriptions: 2, consumers: 2}
                readToEnd: true
                warmupReads: 2
                testDuration: 60s
                """)
            .start();
    assertThat(read.exitCode()).as(read::printed).isZero();
    assertThat(read.rows("publishes")).isEmpty();
    assertThat(offsets(read.rows("deliveries"), 2))
        .isEqualTo(offsets(written.rows("publishes"), 1));
    assertThat(read.counted("deliveries", "other_run")).isEqualTo(2 * (500 + 3));
    assertThat(read.rows("deliveries"))
        .as("what it reads is no message of its own")
        .allSatisfy(row -> assertThat(row.get("producer")).isEqualTo(4_294_967_295L));
    assertThat(read.rows("run_events"))
        .filteredOn(event -> event.get("name").equals("warmup_read"))
        .as("each of two groups, unrecorded")
        .extracting(event -> event.get("detail"))
        .containsExactly("1006", "1006");
    long measureStart = read.summary().get("phases").get(1).get("start_us").asLong();
    assertThat(read.rows("deliveries"))
        .allSatisfy(row -> assertThat((Long) row.get("receive_time")).isGreaterThan(measureStart));
    assertThat(broker.topics()).contains("kept");
  }

  @Test
  void twoRunsOnOneTopicReceiveTheirOwnMessages() throws Exception {
    try (Admin admin = broker.admin()) {
      admin.createTopics(List.of(new NewTopic("both", 2, (short) 1))).all().get();
    }
    String both = "topics: [{name: both, existing: true, producers: 1, subscriptions: 1}]\n";
    TestRun one = workloads.of("one", both, "").start();
    TestRun two = workloads.of("two", both, "").start();

    for (TestRun run : List.of(one, two)) {
      assertExact(run, 1);
      assertThat(run.counted("deliveries", "other_run")).isPositive();
      assertThat(run.counted("deliveries", "foreign")).isZero();
      assertThat(run.rows("deliveries"))
          .extracting(row -> row.get("intended_time") + " " + row.get("tie"))
          .as("each message once")
          .doesNotHaveDuplicates();
      assertThat(run.printed()).contains("messages received were written by other runs");
    }
  }

  @Test
  void topicsDifferInPartitionsAndClients() throws Exception {
    TestRun run =
        workloads
            .of(
                "several",
                """
                topics:
                  - {name: several-a, partitions: 1, producers: 1, subscriptions: 2, consumers: 1}
                  - {name: several-b, partitions: 5, producers: 3, subscriptions: 1, consumers: 2,
                     weight: 3}
                """)
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    Map<Object, Long> sent =
        run.rows("publishes").stream()
            .collect(Collectors.groupingBy(row -> row.get("topic"), Collectors.counting()));
    assertThat(sent).isEqualTo(Map.of("several-a", 100L + 1, "several-b", 300L + 5));
    assertThat(run.rows("deliveries")).hasSize(2 * 101 + 305);
    assertThat(broker.topics()).doesNotContain("several-a", "several-b");
  }
}
