// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tailrace.loadgen.kafka.KafkaConfigNames;
import io.tailrace.loadgen.workload.Problems.InvalidInputException;
import io.tailrace.loadgen.workload.Vary.DriverChanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class BadDriverTest {
  private static final String BASE =
      """
      replicationFactor: 1
      commonConfig: |
        bootstrap.servers=localhost:9092
      """;

  @TempDir Path folder;

  static Stream<Arguments> textsToAdd() {
    return Stream.of(
        arguments("resett: true", "4: resett: unknown key; the nearest known key is reset"),
        arguments(
            "requestsPerTransaction: 0",
            "4: requestsPerTransaction: must be from 1 to 32767, not 0; give a number in that range"),
        arguments(
            "reset: please",
            "4: reset: must be true or false, not the text \"please\"; write true or false"),
        arguments(
            // One problem, whatever else the other system's file has.
            "driverClass: io.openmessaging.benchmark.driver.pulsar.PulsarBenchmarkDriver\n"
                + "client: {serviceUrl: pulsar://localhost:6650}\nproducerConfig: {batching: true}",
            "4: driverClass: io.openmessaging.benchmark.driver.pulsar.PulsarBenchmarkDriver is not a"
                + " Kafka-protocol driver; give a driver file of a broker that speaks Kafka's"
                + " protocol"),
        arguments(
            "producerConfig:\n  acks: all",
            "4: producerConfig: must be a text of name=value lines, not a mapping; write producerConfig: | and"
                + " indented lines under it"),
        arguments(
            "topicConfig: 3",
            "4: topicConfig: must be a text of name=value lines, not 3; write topicConfig: | and indented lines"
                + " under it"),
        arguments(
            "producerConfig: |\n  acks=all\n  linger.ms=\\u00zz",
            "6: producerConfig: malformed \\u escape; write a backslash as \\\\"),
        arguments(
            "producerConfig: |\n  # a comment\n\n  acks=all\n  linger.mss=1",
            "8: producerConfig.linger.mss: unknown to Kafka; the nearest known name is linger.ms"),
        arguments(
            "producerConfig: \"acks=all\\nlinger=1\"",
            "5: producerConfig.linger: unknown to Kafka; the nearest known name is linger.ms"),
        arguments(
            "topicConfig: |\n  min.insync.replica=2",
            "5: topicConfig.min.insync.replica: unknown to Kafka; the nearest known name is min.insync.replicas"),
        arguments(
            "producerConfig: |\n  acks=1\n  acks=all",
            "6: producerConfig.acks: given twice, first on line 5; keep one"),
        arguments(
            "producerConfig: |\n  acks=banana",
            "5: producerConfig.acks: Invalid value banana for configuration acks: String must be one of: all, -1,"
                + " 0, 1; correct the value"),
        arguments(
            "producerConfig: |\n  linger.ms",
            "5: producerConfig.linger.ms: Invalid value  for configuration linger.ms: Not a number of type LONG;"
                + " correct the value"),
        arguments(
            "producerConfig: |\n  transactional.id=mine",
            "5: producerConfig.transactional.id: Tailrace names every producer's transactions; remove it; add"
                + " transactions: {messages: N} to the workload"),
        arguments(
            "driverClass: io.openmessaging.benchmark.driver.redpanda.tx.RedpandaBenchmarkDriver",
            "1: requestsPerTransaction: missing; add requestsPerTransaction: N"),
        arguments(
            "consumerConfig: |\n  bootstrap.servers=b:1",
            "5: consumerConfig.bootstrap.servers: all clients of a run must reach one cluster; move it to"
                + " commonConfig"),
        arguments(
            "consumerConfig: |\n  offsetCommitLingerMs=soon",
            "5: consumerConfig.offsetCommitLingerMs: Invalid value soon for configuration"
                + " auto.commit.interval.ms: Not a number of type INT; correct the value"),
        arguments(
            "consumerConfig: |\n  offsetCommitLingerMs=5\n  auto.commit.interval.ms=5",
            "4: consumerConfig: offsetCommitLingerMs and auto.commit.interval.ms mean the same; keep one of the"
                + " two"),
        arguments(
            "producerConfig: |\n  enable.idempotence=true\n  max.in.flight.requests.per.connection=10",
            "4: producerConfig: To use the idempotent producer, max.in.flight.requests.per.connection must be set"
                + " to at most 5. Current value is 10; correct one of them"));
  }

  @ParameterizedTest
  @MethodSource("textsToAdd")
  void oneBadTextIsOneProblem(String text, String expected) throws IOException {
    assertThat(problems(BASE + text + "\n", false)).containsExactly("FILE:" + expected);
  }

  @Test
  void replicationFactorIsNeverGuessed() throws IOException {
    assertThat(problems(BASE.replace("replicationFactor: 1", "name: x"), false))
        .containsExactly(
            "FILE:1: replicationFactor: missing; add replicationFactor: N, a whole number from 1 to 32767");
  }

  @Test
  void theClusterMustBeNamedHereOrOnTheCommandLine() throws IOException {
    String text = "replicationFactor: 1\n";
    assertThat(problems(text, false))
        .containsExactly(
            "FILE:1: commonConfig: bootstrap.servers is missing; add bootstrap.servers=HOST:PORT, or give"
                + " --bootstrap-servers HOST:PORT");
    assertThat(problems(text, true)).isEmpty();
  }

  @Test
  void everyServerNeedsAPort() throws IOException {
    String text = BASE.replace("localhost:9092", "a:9092, b");
    assertThat(problems(text, false))
        .containsExactly(
            "FILE:3: commonConfig.bootstrap.servers: b is not HOST:PORT; write HOST:PORT,HOST:PORT");
  }

  @Test
  void aSecretIsNotRepeatedInAProblem() throws IOException {
    String text =
        BASE
            + "  ssl.keystore.pasword=hunter2\n  sasl.jaas.config=required\n  password=\"hunter2\";\n";
    List<String> problems = problems(text, false);
    assertThat(problems).hasSize(2);
    assertThat(problems).noneMatch(line -> line.contains("hunter2"));
  }

  @Test
  void theExceptionHasAllProblemsOfBothFiles() throws IOException {
    Problems problems = new Problems();
    Path workload = Files.writeString(folder.resolve("w.yaml"), "- 1\n");
    Path driver = Files.writeString(folder.resolve("d.yaml"), "reset: 1\n");
    Workload.read(workload, problems);
    Driver.read(driver, DriverChanges.NONE, true, new KafkaConfigNames(), problems);
    assertThatThrownBy(problems::throwIfAny)
        .isInstanceOf(InvalidInputException.class)
        .extracting(e -> e.getMessage().lines().count())
        .isEqualTo(3L);
  }

  private List<String> problems(String text, boolean bootstrapGiven) throws IOException {
    Path file = Files.writeString(folder.resolve("bad.yaml"), text);
    Problems problems = new Problems();
    Driver.read(file, DriverChanges.NONE, bootstrapGiven, new KafkaConfigNames(), problems);
    return problems.all().stream().map(p -> p.text().replace(file.toString(), "FILE")).toList();
  }
}
