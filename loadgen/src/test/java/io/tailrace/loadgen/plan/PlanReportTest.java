// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.tailrace.loadgen.kafka.KafkaConfigNames;
import io.tailrace.loadgen.workload.Driver;
import io.tailrace.loadgen.workload.Phases.PhasesSpec;
import io.tailrace.loadgen.workload.Topics.TopicSpec;
import io.tailrace.loadgen.workload.Workload;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PlanReportTest {
  @Test
  void addsUpTheWholeRun() throws JsonProcessingException {
    JsonNode report = new ObjectMapper().readTree(report(Map.of()));
    assertThat(report.path("producers").asInt()).isEqualTo(6);
    assertThat(report.path("consumers").asInt()).isEqualTo(12);
    assertThat(report.path("consumer_groups").asInt()).isEqualTo(6);
    assertThat(report.path("worker_producers").asInt()).isEqualTo(3);
    assertThat(report.path("partitions").asInt()).isEqualTo(12);
    assertThat(report.path("bytes_per_second").asLong()).isEqualTo(100_000);
    assertThat(report.path("expected_messages").asLong()).isEqualTo(10_000);
    assertThat(report.path("expected_deliveries").asLong()).isEqualTo(20_000);
    assertThat(report.path("expected_bytes").asLong()).isEqualTo(1_000_000);
    assertThat(report.path("disk_bytes").asLong()).isEqualTo(3_000_000);
    assertThat(report.path("phases").path(1).path("name").asText()).isEqualTo("measure");
    assertThat(report.path("phases").path(1).path("seconds").asInt()).isEqualTo(8);
    assertThat(report.path("phases").path(1).path("messages").asLong()).isEqualTo(8_000);
    assertThat(report.path("topics").path(2).path("name").asText()).isEqualTo("run-1-0000002");
    assertThat(report.path("payload").asText()).startsWith("generated from the seed");
    assertThat(report.path("producer_config").path("acks").asText()).isEqualTo("all");
  }

  @Test
  void notesThatAcksZeroHasNoAcknowledgements() throws JsonProcessingException {
    Workload workload = Samples.workload(3, 2, 2, 2);
    Driver all = Samples.driver(Map.of());
    Driver none =
        new Driver(
            all.name(),
            all.replicationFactor(),
            Map.of(),
            Map.of(),
            Map.of("acks", " 0"),
            Map.of(),
            all.requestsPerTransaction(),
            List.of());
    Plan plan = Planner.plan(workload, none, Samples.worker(0, 1), new KafkaConfigNames());
    JsonNode notes = new ObjectMapper().readTree(json(plan, workload, Map.of())).path("notes");
    assertThat(notes).hasSize(1);
    assertThat(notes.get(0).asText()).startsWith("acks=0: brokers do not answer");
    assertThat(new ObjectMapper().readTree(report(Map.of())).path("notes")).isEmpty();
  }

  @Test
  void writesNumbersInPlainNotation() {
    assertThat(report(Map.of())).contains("\"messages_per_second\" : 1000,").doesNotContain("E");
  }

  @Test
  void theLargestValidNumbersDoNotOverflow() throws JsonProcessingException {
    TopicSpec topic = new TopicSpec(Optional.empty(), 1, 1, 1000, 1, false, 1);
    PhasesSpec phases =
        new PhasesSpec(
            Duration.ofDays(366),
            Optional.empty(),
            OptionalDouble.empty(),
            Duration.ZERO,
            Optional.empty(),
            Duration.ofDays(366),
            Optional.empty(),
            Duration.ofDays(366),
            Duration.ZERO);
    Workload workload = Samples.workload(List.of(topic), PlainLoad.behaviour(1e9), phases);
    Plan plan =
        Planner.plan(
            workload, Samples.driver(Map.of()), Samples.worker(0, 1), new KafkaConfigNames());
    JsonNode report = new ObjectMapper().readTree(json(plan, workload, Map.of()));
    BigInteger messages = BigInteger.valueOf(1_000_000_000L * 3 * 366 * 86_400);
    assertThat(report.path("expected_deliveries").bigIntegerValue())
        .isEqualTo(messages.multiply(BigInteger.valueOf(1000)))
        .isGreaterThan(BigInteger.valueOf(Long.MAX_VALUE));
    assertThat(report.path("disk_bytes").bigIntegerValue())
        .isEqualTo(messages.multiply(BigInteger.valueOf(300)));
  }

  static List<String> secrets() throws IOException {
    return names("secret");
  }

  static List<String> open() throws IOException {
    return names("open");
  }

  private static List<String> names(String kind) throws IOException {
    Path file = Path.of("..", "testdata", "secret_names.json");
    List<String> names = new ArrayList<>();
    new ObjectMapper().readTree(file.toFile()).path(kind).forEach(n -> names.add(n.asText()));
    assertThat(names).isNotEmpty();
    return names;
  }

  @ParameterizedTest
  @MethodSource("open")
  void masksNoOtherValues(String name) {
    assertThat(Secrets.masked(Map.of(name, "seen"))).containsEntry(name, "seen");
  }

  @ParameterizedTest
  @MethodSource("secrets")
  void masksSecrets(String name) throws JsonProcessingException {
    String json = report(Map.of(name, "hunter2"));
    assertThat(json).doesNotContain("hunter2");
    assertThat(Secrets.masked(Map.of(name, "hunter2"))).containsEntry(name, "***");
  }

  @ParameterizedTest
  @MethodSource("secrets")
  void masksSecretsThatACampaignVaries(String name) {
    Workload workload = Samples.workload(1, 1, 1, 1);
    Plan plan =
        Planner.plan(
            workload, Samples.driver(Map.of()), Samples.worker(0, 1), new KafkaConfigNames());
    String json = json(plan, workload, Map.of("driver.commonConfig." + name, "hunter2"));
    assertThat(json).contains("driver.commonConfig." + name).doesNotContain("hunter2");
  }

  private static String report(Map<String, String> common) {
    Workload workload = Samples.workload(3, 2, 2, 2);
    Driver driver = Samples.driver(common);
    Plan plan = Planner.plan(workload, driver, Samples.worker(0, 2), new KafkaConfigNames());
    return json(plan, workload, Map.of());
  }

  private static String json(Plan plan, Workload workload, Map<String, String> values) {
    return PlanReport.json(List.of(new PlanReport.Point(plan, workload, values, List.of())));
  }
}
