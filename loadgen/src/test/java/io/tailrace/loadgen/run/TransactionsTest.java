// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.kafka.KafkaBroker;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.quota.ClientQuotaAlteration;
import org.apache.kafka.common.quota.ClientQuotaEntity;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TransactionsTest {
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

  private static Set<String> places(List<Map<String, Object>> rows) {
    return rows.stream()
        .map(row -> row.get("partition") + "@" + row.get("offset"))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void whatIsAbortedIsCountedApartAndNeverReceived() throws Exception {
    TestRun run =
        workloads
            .of("aborting", "producersPerTopic: 2\ntransactions: {messages: 7, abortRatio: 30%}\n")
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    Set<String> missing = places(run.rows("publishes"));
    missing.removeAll(places(run.rows("deliveries")));
    assertThat(missing).isNotEmpty().isEqualTo(aborted(run));
    assertThat(run.counted("publishes", "aborted")).isEqualTo(missing.size());
    assertThat(run.rows("deliveries"))
        .extracting(row -> row.get("producer") + " " + row.get("sequence"))
        .as("a sequence each")
        .doesNotHaveDuplicates();
    assertThat(run.summary().get("aborted").asInt()).isEqualTo(missing.size());
    assertThat(run.summary().get("received")).isEqualTo(run.summary().get("expected_received"));
    assertThat(run.summary().get("drained").asBoolean()).isTrue();
  }

  /** Places that the events of aborted transactions name, of those that their producers wrote. */
  private static Set<String> aborted(TestRun run) throws Exception {
    Set<String> places = new TreeSet<>();
    for (Map<String, Object> event : run.rows("run_events")) {
      if (event.get("kind").equals("transaction")) {
        assertThat(event.get("name")).isEqualTo("aborted");
        JsonNode detail = new ObjectMapper().readTree((String) event.get("detail"));
        for (JsonNode range : detail.get("offsets")) {
          run.rows("publishes").stream()
              .filter(row -> (Long) row.get("producer") == detail.get("producer").asLong())
              .filter(row -> (Long) row.get("partition") == range.get(0).asLong())
              .filter(row -> (Long) row.get("offset") >= range.get(1).asLong())
              .filter(row -> (Long) row.get("offset") <= range.get(2).asLong())
              .forEach(row -> places.add(row.get("partition") + "@" + row.get("offset")));
        }
      }
    }
    return places;
  }

  @Test
  void aProducerThatIsHeldUpDelaysNoOtherProducer() throws Exception {
    ClientQuotaEntity slow =
        new ClientQuotaEntity(Map.of(ClientQuotaEntity.CLIENT_ID, "held-producer-0"));
    try (Admin admin = broker.admin()) {
      admin
          .alterClientQuotas(
              List.of(
                  new ClientQuotaAlteration(
                      slow, List.of(new ClientQuotaAlteration.Op("producer_byte_rate", 20_000.0)))))
          .all()
          .get();
    }
    // Half of it is five times what one of the two may send, and its buffer holds a third of a
    // second.
    TestRun run =
        workloads
            .of(
                "held",
                """
                producersPerTopic: 2
                messageSize: 1000
                testDuration: 4s
                """,
                "",
                "buffer.memory=32768\nbatch.size=8192\n")
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    assertThat(latest(run, 0)).isGreaterThan(1_000_000L);
    assertThat(latest(run, 1)).isLessThan(latest(run, 0) / 2);
    assertThat(run.summary().get("acked").asLong() + run.summary().get("failed").asLong())
        .isEqualTo(run.summary().get("sent").asLong());
  }

  private static long latest(TestRun run, long producer) {
    return run.rows("publishes").stream()
        .filter(row -> (Long) row.get("producer") == producer)
        .mapToLong(row -> (Long) row.get("publish_delay_us"))
        .max()
        .orElseThrow();
  }

  @Test
  void retentionIsReachedWhenEveryLogHasLostItsOldestMessages() throws Exception {
    TestRun run =
        workloads
            .of(
                "filled",
                """
                messageSize: 20000
                producerRate: 500
                measureAfter: retentionReached
                retentionFill: {timeout: 60s, rate: 500}
                testDuration: 1s
                """,
                "",
                "",
                "segment.bytes=1048576\nretention.bytes=1048576\n")
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    assertThat(run.phases()).containsExactly("probe", "retention_fill", "measure", "drain", "end");
    assertThat(run.printed()).contains("retention_fill 00:0");
  }

  @Test
  void retentionThatIsNotReachedFailsTheRunAndStatesHowFarItCame() throws Exception {
    TestRun run =
        workloads
            .of("unfilled", "measureAfter: retentionReached\nretentionFill: {timeout: 2s}\n")
            .start();

    assertThat(run.exitCode()).isEqualTo(1);
    assertThat(run.summary().get("failure").asText())
        .isEqualTo(
            "retention_fill: ended at its limit of 00:02: log start offsets had advanced on 0 of 2"
                + " partitions");
    assertThat(run.phases()).containsExactly("probe", "retention_fill", "drain", "end");
  }

  @Test
  void aZombieIsFencedAndNoneOfItsMessagesIsReceived() throws Exception {
    TestRun run =
        workloads
            .of("zombies", "producersPerTopic: 2\ntransactions: {messages: 7, zombieRatio: 30%}\n")
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    Map<String, String> zombies = zombies(run);
    assertThat(zombies).hasSizeGreaterThan(5);
    assertThat(zombies.values())
        .isSubsetOf("ProducerFencedException", "InvalidProducerEpochException");
    Set<String> received = new TreeSet<>();
    run.rows("deliveries").forEach(r -> received.add(r.get("producer") + " " + r.get("sequence")));
    for (Map<String, Object> each : run.rows("transactions")) {
      boolean fenced = zombies.containsKey(each.get("producer") + " " + each.get("number"));
      assertThat(each.get("outcome")).isEqualTo(fenced ? "aborted" : "committed");
      long first = (Long) each.get("first_sequence");
      for (long s = first; s < first + (Long) each.get("messages"); s++) {
        assertThat(received.contains(each.get("producer") + " " + s)).isEqualTo(!fenced);
      }
    }
    assertThat(run.counted("transactions", "ended"))
        .isEqualTo(run.counted("transactions", "begun"))
        .isEqualTo(run.rows("transactions").size());
  }

  /** Producer and number of each transaction of a zombie, and the error of its commit. */
  private static Map<String, String> zombies(TestRun run) throws Exception {
    Map<String, String> zombies = new TreeMap<>();
    for (Map<String, Object> event : run.rows("run_events")) {
      if (event.get("kind").equals("transaction") && event.get("name").equals("zombie")) {
        JsonNode detail = new ObjectMapper().readTree((String) event.get("detail"));
        zombies.put(
            detail.get("producer").asText() + " " + detail.get("number").asText(),
            detail.get("error").asText());
      }
    }
    return zombies;
  }
}
