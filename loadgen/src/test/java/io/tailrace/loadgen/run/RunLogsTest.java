// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.kafka.KafkaBroker;
import io.tailrace.loadgen.kafka.LogRange;
import io.tailrace.loadgen.payload.PayloadHeader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.StreamSupport;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a run records of its topics' logs for the audit: their offsets, and what a re-read finds.
 */
class RunLogsTest {
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

  private static List<JsonNode> details(TestRun run, String kind, String name) throws Exception {
    List<JsonNode> found = new ArrayList<>();
    for (Map<String, Object> event : run.rows("run_events")) {
      if (event.get("kind").equals(kind) && event.get("name").equals(name)) {
        found.add(new ObjectMapper().readTree((String) event.get("detail")));
      }
    }
    return found;
  }

  private static long sum(JsonNode numbers) {
    return StreamSupport.stream(numbers.spliterator(), false).mapToLong(JsonNode::asLong).sum();
  }

  /** As the audit's query computes it from rows, of all messages that a re-read may find. */
  private static String hash(TestRun run, String stream) {
    long sum = 0;
    for (Map<String, Object> row : run.rows(stream)) {
      long producer = (Long) row.get("producer");
      sum += LogRange.hash((Long) row.get("offset"), producer, (Long) row.get("intended_time"));
    }
    return Long.toUnsignedString(sum);
  }

  private static String hashRead(List<JsonNode> ranges) {
    return Long.toUnsignedString(
        ranges.stream().mapToLong(r -> Long.parseUnsignedLong(r.get("hash").asText())).sum());
  }

  @Test
  void theLogsOfATopicThatNoGroupReadsGrowByWhatWasAcknowledged() throws Exception {
    TestRun run = workloads.of("unread", "subscriptionsPerTopic: 0\n").start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    JsonNode start = details(run, "log", "start").get(0);
    JsonNode end = details(run, "log", "end").get(0);
    assertThat(sum(start.get("ends"))).isZero();
    assertThat(sum(end.get("ends"))).isEqualTo(run.counted("publishes", "acked")).isPositive();
    assertThat(sum(end.get("starts"))).isZero();
    assertThat(start.get("settings").get("cleanup.policy").asText()).isEqualTo("delete");
    assertThat(start.get("settings").has("retention.ms")).isTrue();
  }

  @Test
  void aRunWithKeysStartsOnACompactedTopic() throws Exception {
    TestRun run =
        workloads.of("compacted", "keys: roundRobin\n", "", "", "cleanup.policy=compact\n").start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    JsonNode end = details(run, "log", "end").get(0);
    assertThat(end.get("settings").get("cleanup.policy").asText()).isEqualTo("compact");
  }

  @Test
  void recordsDeletedDuringTheRunAreBelowTheLogStart() throws Exception {
    TestRun run = workloads.of("deleted", "subscriptionsPerTopic: 0\ntestDuration: 4s\n").start();
    run.awaitLine("measure 00:0[12]");
    try (Admin admin = broker.admin()) {
      String topic =
          broker.topics().stream().filter(name -> name.startsWith("deleted-")).findFirst().get();
      TopicPartition place = new TopicPartition(topic, 0);
      awaitRecords(admin, place, 5);
      admin.deleteRecords(Map.of(place, RecordsToDelete.beforeOffset(5))).all().get();
    }

    assertThat(run.exitCode()).as(run::printed).isZero();
    assertThat(details(run, "log", "end").get(0).get("starts").get(0).asLong()).isEqualTo(5);
  }

  /** The measure phase can begin before the first messages of a new producer are in the log. */
  private static void awaitRecords(Admin admin, TopicPartition place, long count) throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (admin
            .listOffsets(Map.of(place, OffsetSpec.latest()))
            .partitionResult(place)
            .get()
            .offset()
        < count) {
      assertThat(System.nanoTime()).as("%d records in %s", count, place).isLessThan(deadline);
      Thread.sleep(20);
    }
  }

  @Test
  void aRereadFindsExactlyWhatWasAcknowledged() throws Exception {
    TestRun run = workloads.of("again", "audit: {reread: all}\n").start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    List<JsonNode> ranges = details(run, "reread", "range");
    assertThat(ranges).allSatisfy(range -> assertThat(range.get("gaps")).isEmpty());
    assertThat(hashRead(ranges)).isEqualTo(hash(run, "publishes"));
    assertThat(run.counted("deliveries", "reread")).isEqualTo(run.counted("publishes", "acked"));
    assertThat(run.counted("deliveries", "reread_corrupt")).isZero();
    assertThat(details(run, "log", "end")).hasSize(2);
  }

  @Test
  void aSampleCoversTheFirstAndTheLastOffsets() throws Exception {
    TestRun run =
        workloads
            .of(
                "sampled",
                """
                partitionsPerTopic: 1
                producerRate: 10k/s
                audit: {reread: 1}
                """)
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    List<JsonNode> ranges = details(run, "reread", "range");
    long end = details(run, "log", "end").get(0).get("ends").get(0).asLong();
    assertThat(ranges.get(0).get("first").asLong()).isZero();
    assertThat(ranges.get(ranges.size() - 1).get("end").asLong()).isEqualTo(end);
    assertThat(ranges.stream().mapToLong(r -> r.get("read").asLong()).sum()).isLessThan(end);
  }

  @Test
  void markersAndAbortedMessagesAreGaps() throws Exception {
    TestRun run =
        workloads
            .of("markers", "audit: {reread: all}\ntransactions: {messages: 7, abortRatio: 30%}\n")
            .start();

    assertThat(run.exitCode()).as(run::printed).isZero();
    List<JsonNode> ranges = details(run, "reread", "range");
    assertThat(ranges).allSatisfy(range -> assertThat(range.get("gaps")).isNotEmpty());
    assertThat(hashRead(ranges)).isEqualTo(hash(run, "deliveries"));
  }

  @Test
  void messagesOfOthersAreCountedApartAndOlderOnesAreLeftOut() throws Exception {
    try (Admin admin = broker.admin();
        KafkaProducer<byte[], byte[]> other = broker.producer()) {
      admin.createTopics(List.of(new NewTopic("old", 1, (short) 1))).all().get();
      for (int message = 0; message < 9; message++) {
        other.send(new ProducerRecord<>("old", 0, null, new byte[100])).get();
      }
      TestRun run =
          workloads
              .of(
                  "later",
                  """
                  topics: [{name: old, existing: true, producers: 1, subscriptions: 0}]
                  audit: {reread: all}
                  """)
              .start();
      run.awaitLine("measure 00:0");
      other.send(new ProducerRecord<>("old", 0, null, new byte[100])).get();
      byte[] another = new byte[100];
      PayloadHeader.Origin origin = PayloadHeader.Origin.of("another run", 0);
      PayloadHeader.write(another, PayloadHeader.bodyChecksum(another), origin, 0, 1_000_000, 0);
      other.send(new ProducerRecord<>("old", 0, null, another)).get();

      assertThat(run.exitCode()).as(run::printed).isZero();
      List<JsonNode> ranges = details(run, "reread", "range");
      assertThat(ranges.get(0).get("first").asLong()).isEqualTo(9);
      assertThat(ranges.stream().mapToLong(r -> r.get("foreign").asLong()).sum()).isEqualTo(2);
      assertThat(hashRead(ranges)).isEqualTo(hash(run, "publishes"));
    }
  }
}
