// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.kafka.KafkaConfigNames;
import io.tailrace.loadgen.workload.ClientConfig.Owner;
import io.tailrace.loadgen.workload.Vary.DriverChanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Driver files in the forms of OMB's forks. */
class ForkDriversTest {
  private static final String KAFKA =
      "io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver";

  private final ClientConfig.Names names = new KafkaConfigNames();

  @TempDir Path folder;

  private Driver driver(String text, Problems problems) throws IOException {
    Path file = Files.writeString(folder.resolve("driver.yaml"), text);
    return Driver.read(file, DriverChanges.NONE, false, names, problems).orElseThrow();
  }

  private Driver driver(String text) throws IOException {
    Problems problems = new Problems();
    Driver driver = driver(text, problems);
    problems.throwIfAny();
    return driver;
  }

  @Test
  void aDisklessTopicAndTheZoneOfEachClient() throws IOException {
    Driver driver =
        driver(
            """
            name: diskless
            driverClass: %s
            reset: true
            topicConfig: |
              diskless.enable=true
            replicationFactor: 1  # required by diskless topics
            commonConfig: |
              bootstrap.servers=localhost:9092
              client.id=omb,diskless_az={zone.id}
            producerConfig: |
              acks=all
              client.rack={zone.id}
            consumerConfig: |
              auto.offset.reset=earliest
              client.rack={zone.id}
            """
                .formatted(KAFKA));
    assertThat(driver.topicConfig()).containsEntry("diskless.enable", "true");
    assertThat(driver.notes())
        .contains(
            "topicConfig.diskless.enable is not one of Kafka's: passed on, the broker judges it");
    for (Owner owner : List.of(Owner.ADMIN, Owner.PRODUCER, Owner.CONSUMER)) {
      assertThat(ClientConfig.of(driver, owner, names))
          .containsEntry("client.id", "omb,diskless_az={zone.id}");
    }
    assertThat(ClientConfig.of(driver, Owner.CONSUMER, names))
        .containsEntry("client.rack", "{zone.id}");
  }

  @Test
  void kafkaOverPulsar() throws IOException {
    Driver driver =
        driver(
            """
            name: KoP
            driverClass: io.openmessaging.benchmark.driver.kop.KopBenchmarkDriver
            producerType: kafka
            consumerType: kafka
            pulsarConfig:
              serviceUrl: pulsar://localhost:6650
              batchingEnabled: true
            kafkaConfig: |
              bootstrap.servers=localhost:9092
              linger.ms=1
            """);
    assertThat(driver.replicationFactor()).isEqualTo((short) 1);
    assertThat(ClientConfig.of(driver, Owner.PRODUCER, names))
        .containsEntry("bootstrap.servers", "localhost:9092")
        .containsEntry("linger.ms", "1");
    assertThat(driver.notes())
        .containsExactly("pulsarConfig has no effect: all clients speak Kafka's protocol");
  }

  @Test
  void aClientOfPulsarsOwnProtocolIsRefused() throws IOException {
    Problems problems = new Problems();
    driver(
        """
        driverClass: io.openmessaging.benchmark.driver.kop.KopBenchmarkDriver
        producerType: pulsar
        consumerType: kafka
        kafkaConfig: |
          bootstrap.servers=localhost:9092
        """,
        problems);
    assertThat(problems.all()).hasSize(1);
    assertThat(problems.all().get(0).toString()).contains("producerType").contains("kafka");
  }

  @ParameterizedTest
  @ValueSource(strings = {"gateway.GatewayBenchmarkDriver", "gateway.kafka.KafkaBenchmarkDriver"})
  void aGatewayWithAddressesFromTheEnvironment(String name) throws IOException {
    Driver driver =
        driver(
            """
            name: gateway
            driverClass: io.openmessaging.benchmark.driver.%s
            replicationFactor: ${TAILRACE_TEST_UNSET_FACTOR:-3}
            skipCreateTopic: false
            topicConfig: |
              min.insync.replicas=${TAILRACE_TEST_UNSET:-2}
            commonConfig: |
              bootstrap.servers=${TAILRACE_TEST_UNSET:-localhost:6969}
            """
                .formatted(name));
    assertThat(driver.replicationFactor()).isEqualTo((short) 3);
    assertThat(driver.topicConfig()).isEqualTo(Map.of("min.insync.replicas", "2"));
    assertThat(driver.commonConfig()).isEqualTo(Map.of("bootstrap.servers", "localhost:6969"));
    assertThat(driver.notes()).isEmpty();
  }

  @Test
  void topicsThatExistAreNamedInTheWorkload() throws IOException {
    Problems problems = new Problems();
    driver(
        "replicationFactor: 1\nskipCreateTopic: true\ncommonConfig: bootstrap.servers=a:1\n",
        problems);
    assertThat(problems.all()).hasSize(1);
    assertThat(problems.all().get(0).toString())
        .contains("skipCreateTopic")
        .contains("existing: true");
  }

  @Test
  void aVariableIsTheEnvironmentsOrItsDefault() {
    Map<String, String> environment = Map.of("SET", "a$b", "EMPTY", "");
    assertThat(
            DefaultedVariables.replaced(
                "${SET:-x} ${EMPTY:-y} ${UNSET:-z=1} ${UNSET:-} ${SET} ${env:SET} $SET",
                environment::get))
        .isEqualTo("a$b y z=1  ${SET} ${env:SET} $SET");
  }
}
