// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.loadgen.kafka.KafkaConfigNames;
import io.tailrace.loadgen.workload.Campaign;
import io.tailrace.loadgen.workload.Dialect;
import io.tailrace.loadgen.workload.Problems;
import io.tailrace.loadgen.workload.Problems.Problem;
import io.tailrace.loadgen.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Plans of the published experiments: their steps and totals. */
class PublishedExperimentsTest {
  private static final Path ROOM = Path.of("..", "experiments");
  private static final Map<String, Integer> BYTES =
      Map.of("256", 256, "512", 512, "1k", 1024, "4k", 4096, "64k", 65536, "512k", 524288);
  private static final Map<Integer, Integer> RECORDS =
      Map.of(256, 1, 512, 2, 1024, 5, 4096, 22, 65536, 370, 524288, 3000);

  @ParameterizedTest
  @CsvSource({
    // file, steps, clients of the last step on each side, groups, last step's messages per second
    "kafka-vs-redpanda/1-producers/4-producers, 6, 4, 4, 1, 1024000",
    "kafka-vs-redpanda/1-producers/50-producers, 6, 50, 50, 1, 1024000",
    "kafka-vs-redpanda/2-long-run/24h, 1, 4, 4, 1, 1024000",
    "kafka-vs-redpanda/2-long-run/36h, 1, 4, 4, 1, 1024000",
    "kafka-vs-redpanda/3-retention/limit-1h, 1, 4, 4, 1, 1024000",
    "kafka-vs-redpanda/3-retention/limit-3h, 1, 4, 4, 1, 1024000",
    "kafka-vs-redpanda/4-record-keys/1000MBs-288-partitions, 4, 400, 10, 1, 1024000",
    "kafka-vs-redpanda/4-record-keys/500MBs-288-partitions, 4, 400, 10, 1, 512000",
    "kafka-vs-redpanda/4-record-keys/500MBs-100-partitions, 7, 100, 10, 1, 512000",
    "kafka-vs-redpanda/4-record-keys/200MBs-40-80-topics, 2, 320, 800, 80, 204800",
    "kafka-vs-redpanda/4-record-keys/50MBs-40-80-topics, 2, 320, 800, 80, 51200",
    "kafka-vs-redpanda/5-drive-limit/ramp, 7, 10, 10, 1, 2048000",
    "kafka-vs-redpanda/5-drive-limit/no-retention-limit, 2, 10, 10, 1, 1228800",
    "kafka-vs-redpanda/5-drive-limit/retention-limit, 2, 10, 10, 1, 1228800",
    "kafka-vs-redpanda/6-backlog/fan-out-1, 1, 4, 4, 1, 1024000",
    "kafka-vs-redpanda/6-backlog/fan-out-2, 1, 4, 8, 2, 1024000",
    "kafka-vs-redpanda/6-backlog/fan-out-3, 1, 4, 12, 3, 819200",
  })
  void everyStepIsPlanned(
      String name, int steps, int producers, int consumers, int groups, double rate)
      throws IOException {
    List<JsonNode> plans = plans(name);
    JsonNode last = plans.get(steps - 1);
    assertThat(plans).hasSize(steps);
    assertThat(last.path("producers").asInt()).isEqualTo(producers);
    assertThat(last.path("consumers").asInt()).isEqualTo(consumers);
    assertThat(last.path("consumer_groups").asInt()).isEqualTo(groups);
    assertThat(last.path("messages_per_second").asDouble()).isEqualTo(rate);
  }

  @Test
  void theBytesOf36HoursAreComputed() throws IOException {
    JsonNode plan = plans("kafka-vs-redpanda/2-long-run/36h").get(0);
    long messages = 1_024_000L * 37 * 3600;
    assertThat(plan.path("expected_messages").asLong()).isEqualTo(messages);
    assertThat(plan.path("expected_bytes").asLong()).isEqualTo(messages * 1024);
    assertThat(plan.path("disk_bytes").asLong()).isEqualTo(messages * 1024 * 3);
  }

  @Test
  void aBacklogIsSummedOverItsGroups() throws IOException {
    long gib = 1L << 30;
    for (int groups = 1; groups <= 3; groups++) {
      JsonNode plan = plans("kafka-vs-redpanda/6-backlog/fan-out-" + groups).get(0);
      JsonNode build = plan.path("phases").get(1);
      assertThat(build.path("name").asText()).isEqualTo("backlog_build");
      assertThat(build.path("messages").asLong())
          .isEqualTo((5000L * gib / 1024 + groups - 1) / groups);
      assertThat(plan.path("phases").get(3).path("name").asText()).isEqualTo("measure");
    }
  }

  @ParameterizedTest
  @CsvSource({
    // file, steps, producers and partitions of the last step, its messages per second
    "0-fsync/small-flush-every-batch, 2, 1, 72, 2560",
    "1-producers/small-4-producers, 2, 1, 72, 5120",
    "1-producers/small-50-producers, 2, 12, 72, 5120",
    "2-long-run/small-4min, 1, 1, 72, 20480",
    "3-retention/small-135s, 1, 1, 72, 5120",
    "4-record-keys/small-1000MBs-72-partitions, 4, 100, 72, 20480",
    "4-record-keys/small-500MBs-72-partitions, 3, 100, 72, 10240",
    "4-record-keys/small-500MBs-25-partitions, 4, 25, 25, 10240",
    "4-record-keys/small-200MBs-10-20-topics, 2, 80, 200, 4096",
    "4-record-keys/small-50MBs-10-20-topics, 2, 80, 200, 1024",
    "5-drive-limit/small-ramp, 7, 3, 72, 39062.5",
    "6-backlog/small-fan-out-1, 1, 1, 72, 5120",
    "6-backlog/small-fan-out-2, 1, 1, 72, 5120",
    "6-backlog/small-fan-out-3, 1, 1, 72, 4096",
  })
  void everyStepOfASmallFormIsPlanned(
      String name, int steps, int producers, int partitions, double rate) throws IOException {
    List<JsonNode> plans = plans("kafka-vs-redpanda/" + name);
    JsonNode last = plans.get(steps - 1);
    assertThat(plans).hasSize(steps);
    assertThat(last.path("producers").asInt()).isEqualTo(producers);
    assertThat(last.path("partitions").asInt()).isEqualTo(partitions);
    assertThat(last.path("messages_per_second").asDouble()).isEqualTo(rate);
  }

  @ParameterizedTest
  @CsvSource({"read, 84", "small-read, 36"})
  void readingToTheEndMeasuresReadingAlone(String name, int steps) throws IOException {
    List<JsonNode> plans = plans("feldera/" + name);
    assertThat(plans).hasSize(steps);
    for (JsonNode plan : plans) {
      assertThat(plan.path("producers").asInt()).isZero();
      assertThat(plan.path("consumers").asInt()).isOne();
      assertThat(plan.path("phases")).hasSize(1);
      assertThat(plan.path("phases").get(0).path("until").asText()).isEqualTo("end_read");
      assertThat(plan.path("phases").get(0).path("messages").asLong()).isZero();
    }
  }

  /**
   * The experiment generates its events when it is run; here, one event of each size replaces them.
   */
  @ParameterizedTest
  @CsvSource({"fill, read, 9200000", "small-fill, small-read, 1533334"})
  void readPhasesGetTheSameRecordsFromTheirFillForEveryEventSize(
      String fill, String read, long records, @TempDir Path room) throws IOException {
    Path folder = Files.createDirectories(room.resolve("experiments/feldera"));
    Path file = folder.resolve(fill + ".yaml");
    Files.copy(ROOM.resolve("feldera").resolve(fill + ".yaml"), file);
    for (Map.Entry<String, Integer> size : BYTES.entrySet()) {
      Path events = room.resolve(".tailrace/build/feldera/events").resolve(size.getKey());
      Files.write(Files.createDirectories(events).resolve("0.json"), new byte[size.getValue()]);
    }
    List<JsonNode> plans = plans(file);
    assertThat(plans).hasSize(12);
    for (JsonNode plan : plans) {
      assertThat(plan.path("consumers").asInt()).isZero();
      assertThat(plan.path("phases")).hasSize(1);
      assertThat(plan.path("phases").get(0).path("until").asText()).isEqualTo("volume_sent");
      long made = plan.path("expected_messages").asLong() * recordsOf(plan);
      assertThat(made).isBetween(records, records + recordsOf(plan));
    }
    assertThat(topics(plans)).hasSize(12).isEqualTo(topics(plans("feldera/" + read)));
  }

  private static int recordsOf(JsonNode plan) {
    return RECORDS.get(plan.path("message_bytes").asInt());
  }

  private static Set<String> topics(List<JsonNode> plans) {
    return plans.stream()
        .flatMap(plan -> plan.path("topics").findValuesAsText("name").stream())
        .collect(Collectors.toSet());
  }

  private static List<JsonNode> plans(String name) throws IOException {
    return plans(ROOM.resolve(name + ".yaml"));
  }

  private static List<JsonNode> plans(Path file) throws IOException {
    Problems problems = new Problems();
    Campaign campaign = Campaign.read(file, problems).orElseThrow();
    List<JsonNode> plans = new ArrayList<>();
    for (int point = 0; point < campaign.size(); point++) {
      Workload workload = campaign.workload(point, Dialect.Hint.NONE, problems);
      Plan plan =
          Planner.plan(
              workload, Samples.driver(Map.of()), Samples.worker(0, 1), new KafkaConfigNames());
      Map<String, String> values = campaign.values(point);
      String json =
          PlanReport.json(List.of(new PlanReport.Point(plan, workload, values, List.of())));
      plans.add(new ObjectMapper().readTree(json));
    }
    assertThat(problems.all()).extracting(Problem::text).isEqualTo(List.of());
    return plans;
  }
}
