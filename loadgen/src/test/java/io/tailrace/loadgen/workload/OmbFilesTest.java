// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.kafka.KafkaConfigNames;
import io.tailrace.loadgen.plan.PlainLoad;
import io.tailrace.loadgen.workload.ClientConfig.Owner;
import io.tailrace.loadgen.workload.Messages.SizeSpec;
import io.tailrace.loadgen.workload.Payload.PayloadSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec;
import io.tailrace.loadgen.workload.Topics.TopicSpec;
import io.tailrace.loadgen.workload.Vary.DriverChanges;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files as OMB and its forks write them. */
class OmbFilesTest {
  private final ClientConfig.Names names = new KafkaConfigNames();

  @TempDir Path folder;

  @Test
  void workloadWithEveryFieldOfUpstream() throws IOException {
    Workload workload =
        workload(
            """
            name: 4 producers, 4 consumers, 8 partitions

            topics: 2
            partitionsPerTopic: 8
            keyDistributor: "NO_KEY"
            messageSize: 100
            useRandomizedPayloads: false
            randomBytesRatio: 0.0
            randomizedPayloadPoolSize: 0
            payloadFile: "payload/payload-100b.data"
            subscriptionsPerTopic: 3
            producersPerTopic: 4
            consumerPerSubscription: 5
            producerRate: 50000
            consumerBacklogSizeGB: 0
            warmupDurationMinutes: 0
            testDurationMinutes: 15
            """);
    assertThat(workload.name()).isEqualTo("4 producers, 4 consumers, 8 partitions");
    assertThat(workload.topics()).hasSize(2);
    TopicSpec topic = workload.topics().get(1);
    assertThat(topic).isEqualTo(new TopicSpec(Optional.empty(), 8, 4, 3, 5, false, 1));
    assertThat(workload.message().size()).isEqualTo(SizeSpec.of(100));
    assertThat(workload.message().payload())
        .isInstanceOfSatisfying(
            PayloadSpec.Files.class,
            files ->
                assertThat(files.files().get(0).content()).isEqualTo("x".repeat(100).getBytes()));
    assertThat(workload.behaviour().rate()).isEqualTo(RateSpec.constant(50_000));
    assertThat(workload.phases().warmup()).isZero();
    assertThat(workload.phases().measure()).isEqualTo(Duration.ofMinutes(15));
    assertThat(workload.notes())
        .containsExactly("dialect omb, guessed from fields that all dialects share");
  }

  @Test
  void workloadWithLittleGetsOmbsDefaults() throws IOException {
    Workload workload =
        workload(
            """
            topics: 1
            partitionsPerTopic: 1
            messageSize: 100
            subscriptionsPerTopic: 1
            producersPerTopic: 1
            consumerPerSubscription: 1
            producerRate: 0.5
            testDurationMinutes: 1
            """);
    assertThat(workload.name()).isEqualTo("workload");
    assertThat(workload.phases().warmup()).isEqualTo(Duration.ofMinutes(1));
    assertThat(workload.phases().drainTimeout()).isEqualTo(Duration.ofSeconds(30));
    assertThat(workload.behaviour()).isEqualTo(PlainLoad.behaviour(0.5));
    assertThat(workload.seed()).isEqualTo(42);
    assertThat(workload.message().payload()).isEqualTo(new PayloadSpec.Generated());
  }

  @Test
  void driverOfUpstream() throws IOException {
    Driver driver =
        driver(
            """
            name: Kafka three replicas
            driverClass: io.openmessaging.benchmark.driver.kafka.KafkaBenchmarkDriver

            # Kafka client-specific configuration
            replicationFactor: 3

            topicConfig: |
              min.insync.replicas=2
              flush.ms=0

            commonConfig: |
              bootstrap.servers=localhost:9092
              request.timeout.ms=120000

            producerConfig: |
              acks=all
              linger.ms=1
              batch.size=1048576

            consumerConfig: |
              auto.offset.reset=earliest
              enable.auto.commit=false
              max.partition.fetch.bytes=10485760
            """);
    assertThat(driver.name()).isEqualTo("Kafka three replicas");
    assertThat(driver.replicationFactor()).isEqualTo((short) 3);
    assertThat(driver.topicConfig()).isEqualTo(Map.of("min.insync.replicas", "2", "flush.ms", "0"));
    assertThat(ClientConfig.of(driver, Owner.ADMIN, names))
        .isEqualTo(Map.of("bootstrap.servers", "localhost:9092", "request.timeout.ms", "120000"));
    assertThat(ClientConfig.of(driver, Owner.PRODUCER, names))
        .containsEntry("acks", "all")
        .containsEntry("request.timeout.ms", "120000")
        // Three of ours: no beans in JMX, no metrics pushed, metadata kept.
        .hasSize(8);
  }

  @Test
  void driverOfAForkWithRedpandasKeys() throws IOException {
    Driver driver =
        driver(
            """
            driverClass: io.openmessaging.benchmark.driver.redpanda.RedpandaBenchmarkDriver
            replicationFactor: 1
            reset: false
            topicConfig: |
              redpanda.remote.write=true
            commonConfig: |
              bootstrap.servers=localhost:9092
              max.poll.records=100
            producerConfig:
            consumerConfig: |
              enable.auto.commit=false
              offsetCommitLingerMs=5000
            """);
    assertThat(driver.name()).isEqualTo("driver");
    assertThat(driver.topicConfig()).containsEntry("redpanda.remote.write", "true");
    assertThat(driver.producerConfig()).isEmpty();
    assertThat(ClientConfig.of(driver, Owner.PRODUCER, names))
        .doesNotContainKey("max.poll.records");
    assertThat(ClientConfig.of(driver, Owner.CONSUMER, names))
        .isEqualTo(
            Map.of(
                "auto.commit.interval.ms", "5000",
                "auto.offset.reset", "earliest",
                "bootstrap.servers", "localhost:9092",
                "enable.auto.commit", "true",
                "enable.metrics.push", "false",
                "max.poll.records", "100",
                "metric.reporters", ""));
  }

  private Workload workload(String text) throws IOException {
    Files.createDirectories(folder.resolve("payload"));
    Files.writeString(folder.resolve("payload/payload-100b.data"), "x".repeat(100));
    Problems problems = new Problems();
    Path file = Files.writeString(folder.resolve("workload.yaml"), text);
    Workload workload = Workload.read(file, problems).orElseThrow();
    problems.throwIfAny();
    return workload;
  }

  private Driver driver(String text) throws IOException {
    Problems problems = new Problems();
    Path file = Files.writeString(folder.resolve("driver.yaml"), text);
    Driver driver = Driver.read(file, DriverChanges.NONE, false, names, problems).orElseThrow();
    problems.throwIfAny();
    return driver;
  }
}
