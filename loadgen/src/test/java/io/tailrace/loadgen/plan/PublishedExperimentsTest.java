// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.loadgen.kafka.KafkaConfigNames;
import io.tailrace.loadgen.workload.Campaign;
import io.tailrace.loadgen.workload.Problem;
import io.tailrace.loadgen.workload.Problems;
import io.tailrace.loadgen.workload.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The experiments that others published, as plans: how many steps, and what they come to. */
class PublishedExperimentsTest {
  private static final Path ROOM = Path.of("..", "testdata", "workloads", "published");

  @ParameterizedTest
  @CsvSource({
    // file, steps, clients of the last step on each side, groups, last step's messages per second
    "part1-4-producers-500-1000MBs, 6, 4, 4, 1, 1024000",
    "part1-50-producers-500-1000MBs, 6, 50, 50, 1, 1024000",
    "part2-1000MBs-24h, 1, 4, 4, 1, 1024000",
    "part2-1000MBs-36h, 1, 4, 4, 1, 1024000",
    "part3-1000MBs-retention-1h, 1, 4, 4, 1, 1024000",
    "part3-1000MBs-retention-3h, 1, 4, 4, 1, 1024000",
    "part4-1000MBs-288-partitions-growing-producers, 4, 400, 10, 1, 1024000",
    "part4-500MBs-288-partitions-growing-producers, 4, 400, 10, 1, 512000",
    "part4-500MBs-100-partitions-growing-producers, 7, 100, 10, 1, 512000",
    "part4-200MBs-400-800-partitions, 2, 320, 800, 80, 204800",
    "part4-50MBs-400-800-partitions, 2, 320, 800, 80, 51200",
    "part5-acks1-1000-2000MBs, 7, 10, 10, 1, 2048000",
    "part5-1000-1200MBs-no-retention-limit, 2, 10, 10, 1, 1228800",
    "part5-1000-1200MBs-retention-limit, 2, 10, 10, 1, 1228800",
    "part6-1000MBs-backlog-fanout-1, 1, 4, 4, 1, 1024000",
    "part6-1000MBs-backlog-fanout-2, 1, 4, 8, 2, 1024000",
    "part6-800MBs-backlog-fanout-3, 1, 4, 12, 3, 819200",
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
  void thirtySixHoursComeToTheirBytes() throws IOException {
    JsonNode plan = plans("part2-1000MBs-36h").get(0);
    long messages = 1_024_000L * 37 * 3600;
    assertThat(plan.path("expected_messages").asLong()).isEqualTo(messages);
    assertThat(plan.path("expected_bytes").asLong()).isEqualTo(messages * 1024);
    assertThat(plan.path("disk_bytes").asLong()).isEqualTo(messages * 1024 * 3);
  }

  @Test
  void aBacklogIsSummedOverItsGroups() throws IOException {
    long gib = 1L << 30;
    for (int groups = 1; groups <= 3; groups++) {
      String rate = groups == 3 ? "800" : "1000";
      JsonNode plan = plans("part6-" + rate + "MBs-backlog-fanout-" + groups).get(0);
      JsonNode build = plan.path("phases").get(1);
      assertThat(build.path("name").asText()).isEqualTo("backlog_build");
      assertThat(build.path("messages").asLong())
          .isEqualTo((5000L * gib / 1024 + groups - 1) / groups);
      assertThat(plan.path("phases").get(3).path("name").asText()).isEqualTo("measure");
    }
  }

  @Test
  void readingToTheEndMeasuresReadingAlone() throws IOException {
    List<JsonNode> plans = plans("feldera-read-to-end");
    assertThat(plans).hasSize(36);
    for (JsonNode plan : plans) {
      assertThat(plan.path("producers").asInt()).isZero();
      assertThat(plan.path("consumers").asInt()).isOne();
      assertThat(plan.path("phases")).hasSize(1);
      assertThat(plan.path("phases").get(0).path("until").asText()).isEqualTo("end_read");
      assertThat(plan.path("phases").get(0).path("messages").asLong()).isZero();
    }
  }

  @Test
  void whatIsReadToTheEndIsFilledBeforeWithABoundedVolumeOfEverySize() throws IOException {
    List<JsonNode> plans = plans("feldera-fill");
    assertThat(plans).hasSize(12);
    for (JsonNode plan : plans) {
      assertThat(plan.path("consumers").asInt()).isZero();
      assertThat(plan.path("phases")).hasSize(1);
      assertThat(plan.path("phases").get(0).path("until").asText()).isEqualTo("volume_sent");
      assertThat(plan.path("expected_bytes").asDouble()).isBetween(3e9, 3e9 + 524_288);
    }
    assertThat(topics("feldera-fill")).hasSize(12).isEqualTo(topics("feldera-read-to-end"));
  }

  private static Set<String> topics(String name) throws IOException {
    return plans(name).stream()
        .flatMap(plan -> plan.path("topics").findValuesAsText("name").stream())
        .collect(Collectors.toSet());
  }

  private static List<JsonNode> plans(String name) throws IOException {
    Problems problems = new Problems();
    Campaign campaign = Campaign.read(ROOM.resolve(name + ".yaml"), problems).orElseThrow();
    List<JsonNode> plans = new ArrayList<>();
    for (int point = 0; point < campaign.size(); point++) {
      Workload workload = campaign.workload(point, problems);
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
