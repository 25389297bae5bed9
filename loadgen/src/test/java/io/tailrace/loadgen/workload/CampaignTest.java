// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tailrace.loadgen.kafka.KafkaConfigNames;
import io.tailrace.loadgen.workload.Keys.KeySpec;
import io.tailrace.loadgen.workload.Problems.Problem;
import io.tailrace.loadgen.workload.Rate.RateSpec;
import io.tailrace.loadgen.workload.Vary.DriverChanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CampaignTest {
  private static final String BASE =
      """
      topics: 1
      partitionsPerTopic: 4
      messageSize: 100
      subscriptionsPerTopic: 1
      producersPerTopic: 1
      consumerPerSubscription: 1
      testDuration: 8s
      vary:
      """;

  @TempDir Path folder;

  @Test
  void entriesAreCrossedAndFieldsOfOneEntryStepTogether() throws IOException {
    Campaign campaign =
        campaign(
            """
              - producerRate: [10k/s, 20k/s]
              - partitionsPerTopic: [1, 2, 3]
                keys: [zipf, {choice: random, count: 5}, none]
            """);
    assertThat(campaign.size()).isEqualTo(6);
    assertThat(campaign.values(1))
        .isEqualTo(
            Map.of(
                "producerRate", "10k/s",
                "partitionsPerTopic", "2",
                "keys", "{choice: random, count: 5}"));
    Workload last = workload(campaign, 5);
    assertThat(last.behaviour().rate()).isEqualTo(RateSpec.constant(20_000));
    assertThat(last.topics().get(0).partitions()).isEqualTo(3);
    assertThat(last.behaviour().keys()).isEqualTo(KeySpec.NO_KEYS);
    assertThat(workload(campaign, 4).behaviour().keys().count()).isEqualTo(5);
  }

  @Test
  void aFieldBelowAnotherMayBeVariedAlsoWhereItWasNotGiven() throws IOException {
    Campaign campaign =
        campaign(
            """
              - producerRate: [10]
                slo.endToEnd.p99: [50ms]
                backlog.bytes: [1GiB]
                arrivals.bursts.every: [2s]
                arrivals.bursts.lasting: [1s]
            """);
    Workload workload = workload(campaign, 0);
    assertThat(workload.slo().get(0).key()).isEqualTo("endToEnd.p99");
    assertThat(workload.phases().backlog().orElseThrow().bytes()).hasValue(1L << 30);
    assertThat(workload.behaviour().arrivals().every()).hasSeconds(2);
  }

  @Test
  void settingsOfTheDriverFileAreVariedToo() throws IOException {
    Campaign campaign =
        campaign(
            """
              - producerRate: [10]
                driver.replicationFactor: [3]
                driver.producerConfig.linger.ms: [7]
                driver.consumerConfig.max.poll.records: [9]
            """);
    Problems problems = new Problems();
    Driver driver = driver(campaign, problems);
    assertThat(problems.all()).isEmpty();
    assertThat(driver.replicationFactor()).isEqualTo((short) 3);
    assertThat(driver.producerConfig()).isEqualTo(Map.of("acks", "all", "linger.ms", "7"));
    assertThat(driver.consumerConfig()).isEqualTo(Map.of("max.poll.records", "9"));
  }

  static Stream<Arguments> mistakes() {
    return Stream.of(
        arguments(
            "  - {}", "9: vary: not a dimension: a mapping; write - producerRate: [10k/s, 20k/s]"),
        arguments(
            "  - producerRate: 5",
            "9: vary.producerRate: must be a list of values, not 5; write producerRate: [first, second]"),
        arguments(
            "  - producerRat: [5]",
            "9: vary.producerRat: unknown field; the nearest known one is producerRate"),
        arguments(
            "  - producerRate: [5, 6]\n    seed: [1]",
            "10: vary.seed: has 1 values, but a field before it has 2; give all fields of an entry equally many"),
        arguments(
            "  - producerRate: [5]\n  - producerRate: [6]",
            "10: vary.producerRate: varied twice; keep one of the two"),
        arguments(
            "  - producerRate: [5]\n    driver.producerConfg.acks: [all]",
            "10: vary.driver.producerConfg.acks: unknown field; the nearest known one is producerConfig"),
        arguments(
            "  - producerRate:\n    - 5\n    - -5",
            "11: producerRate: must be above 0, not -5; give the messages per second to offer"),
        arguments(
            "  - producerRate: [5]\n    seed.x: [1]\nseed: 5",
            "10: vary.seed.x: seed is 5 here, so there is nothing below it to vary; write seed as a mapping"),
        arguments(
            "  - producerRate: [5]\n    driver.producerConfig.acks: [all, lots]\n",
            "10: vary.driver.producerConfig.acks: has 2 values, but a field before it has 1; give all fields of an entry"
                + " equally many"),
        arguments(
            "  - producerRate: [5]\n    driver.producerConfig.acks: [lots]",
            "10: producerConfig.acks: Invalid value lots for configuration acks: String must be one of: all, -1, 0,"
                + " 1; correct the value"));
  }

  @ParameterizedTest
  @MethodSource("mistakes")
  void aMistakeIsOneProblemOnItsOwnLine(String vary, String expected) throws IOException {
    Path file = Files.writeString(folder.resolve("w.yaml"), BASE + vary + "\n");
    Problems problems = new Problems();
    Campaign campaign = Campaign.read(file, problems).orElseThrow();
    if (problems.all().isEmpty()) {
      for (int point = 0; point < campaign.size(); point++) {
        campaign.workload(point, Dialect.Hint.NONE, problems);
      }
      driver(campaign, problems);
    }
    assertThat(problems.all())
        .extracting(problem -> problem.text().replace(file + ":", ""))
        .containsExactly(expected);
  }

  private Driver driver(Campaign campaign, Problems problems) throws IOException {
    String text = "replicationFactor: 1\nproducerConfig: |\n  acks=all\n  linger.ms=1\n";
    Path file = Files.writeString(folder.resolve("driver.yaml"), text);
    DriverChanges changes = campaign.driverChanges(0);
    return Driver.read(file, changes, true, new KafkaConfigNames(), problems).orElseThrow();
  }

  private Campaign campaign(String vary) throws IOException {
    Problems problems = new Problems();
    Path file = Files.writeString(folder.resolve("w.yaml"), BASE + vary);
    Campaign campaign = Campaign.read(file, problems).orElseThrow();
    assertThat(problems.all()).isEmpty();
    return campaign;
  }

  private static Workload workload(Campaign campaign, int point) {
    Problems problems = new Problems();
    Workload workload = campaign.workload(point, Dialect.Hint.NONE, problems);
    assertThat(problems.all()).extracting(Problem::text).isEqualTo(List.of());
    return workload;
  }
}
