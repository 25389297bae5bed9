// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.agreement.AgreementEndpoint;
import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.kafka.KafkaBroker;
import io.tailrace.loadgen.kafka.KafkaConfigNames;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.plan.PlanParameters;
import io.tailrace.loadgen.plan.Planner;
import io.tailrace.loadgen.workload.Driver;
import io.tailrace.loadgen.workload.Problems;
import io.tailrace.loadgen.workload.Vary.DriverChanges;
import io.tailrace.loadgen.workload.Workload;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;

/** Plans a workload file as the program does, for a test's broker. */
final class WorkloadRun {
  private static final String BASE =
      """
      topics: 1
      partitionsPerTopic: 2
      producersPerTopic: 1
      subscriptionsPerTopic: 1
      consumerPerSubscription: 1
      messageSize: 100
      producerRate: 200
      warmupDuration: 0s
      testDuration: 2s
      """;

  /** Two workers in this process are ready long before, on an idle machine. */
  private static final Duration TO_GET_READY = Duration.ofSeconds(20);

  private final Path folder;
  private final KafkaBroker broker;
  private final FakeCollector sink;

  WorkloadRun(Path folder, KafkaBroker broker, FakeCollector sink) {
    this.folder = folder;
    this.broker = broker;
    this.sink = sink;
  }

  /**
   * A run of a small workload: one topic of two partitions, a producer, a consumer, 200 messages a
   * second for 2 s.
   *
   * @param workload keys beside those, or instead of them
   * @param consumerConfig properties of consumers
   */
  TestRun of(String runId, String workload, String consumerConfig) throws IOException {
    return of(runId, workload, consumerConfig, "");
  }

  /**
   * The same with properties of producers.
   *
   * @param producerConfig properties of producers
   */
  TestRun of(String runId, String workload, String consumerConfig, String producerConfig)
      throws IOException {
    return of(runId, workload, consumerConfig, producerConfig, "");
  }

  /**
   * The same with properties of topics.
   *
   * @param topicConfig properties of topics
   */
  TestRun of(
      String runId,
      String workload,
      String consumerConfig,
      String producerConfig,
      String topicConfig)
      throws IOException {
    String driver = driver(consumerConfig, producerConfig, topicConfig);
    return new TestRun(plan(runId, workload, driver, 0, 1), sink, folder);
  }

  private static String driver(String consumerConfig, String producerConfig, String topicConfig) {
    return "name: test\nreplicationFactor: 1\ncommonConfig: \"\"\n"
        + section("topicConfig", topicConfig)
        + section("producerConfig", "linger.ms=1\n" + producerConfig)
        + section("consumerConfig", consumerConfig);
  }

  /** A run of two workers that begin together. */
  List<TestRun> ofTwo(String runId, String workload, String producerConfig, String topicConfig)
      throws IOException {
    return started(runId, workload, driver("", producerConfig, topicConfig));
  }

  /**
   * The same with properties of consumers.
   *
   * @param consumerConfig properties of consumers
   */
  List<TestRun> ofTwo(String runId, String workload, String consumerConfig) throws IOException {
    return started(runId, workload, driver(consumerConfig, "", ""));
  }

  private List<TestRun> started(String runId, String workload, String driver) throws IOException {
    Instant startAt = Instant.now().plus(TO_GET_READY);
    AgreementEndpoint agreement = agreement();
    List<TestRun> both = new ArrayList<>();
    for (int worker = 0; worker < 2; worker++) {
      Plan plan = plan(runId, workload, driver, worker, 2);
      both.add(new TestRun(plan, sink, folder, startAt, agreement).start());
    }
    return both;
  }

  /** An endpoint on a free port. */
  static AgreementEndpoint agreement() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      URI url = URI.create("http://127.0.0.1:" + socket.getLocalPort());
      return new AgreementEndpoint(url, url, "a-token-of-this-test", Optional.empty());
    }
  }

  /** Worker 1 of two without worker 0, whose topics exist already. */
  TestRun follower(String runId, String workload, AgreementEndpoint agreement) throws Exception {
    Plan plan = plan(runId, workload, driver("", "", ""), 1, 2);
    try (Admin admin = broker.admin()) {
      for (Plan.TopicPlan topic : plan.topics()) {
        NewTopic created = new NewTopic(topic.name(), topic.partitions(), (short) 1);
        admin.createTopics(List.of(created)).all().get();
      }
    }
    return new TestRun(plan, sink, folder, Instant.now().plus(TO_GET_READY), agreement).start();
  }

  TestRun of(String runId, String workload) throws IOException {
    return of(runId, workload, "");
  }

  private Plan plan(String runId, String workload, String driverText, int worker, int workers)
      throws IOException {
    Path workloadFile = folder.resolve(runId + ".yaml");
    Files.writeString(workloadFile, merged(workload));
    Path driverFile = folder.resolve(runId + "-driver.yaml");
    Files.writeString(driverFile, driverText);
    KafkaConfigNames names = new KafkaConfigNames();
    Problems problems = new Problems();
    Optional<Workload> read = Workload.read(workloadFile, problems);
    Optional<Driver> driver = Driver.read(driverFile, DriverChanges.NONE, true, names, problems);
    problems.throwIfAny();
    PlanParameters parameters =
        new PlanParameters(
            runId, worker, workers, OptionalLong.empty(), Optional.of(broker.bootstrapServers()));
    return Planner.plan(read.orElseThrow(), driver.orElseThrow(), parameters, names);
  }

  private static String merged(String workload) {
    String own = "\n" + workload.replace("rateCurve:", "\nproducerRate:");
    StringBuilder text = new StringBuilder();
    BASE.lines()
        .filter(line -> !own.contains("\n" + line.substring(0, line.indexOf(':') + 1)))
        .forEach(line -> text.append(line).append('\n'));
    return text + workload;
  }

  private static String section(String name, String properties) {
    if (properties.isEmpty()) {
      return name + ": \"\"\n";
    }
    StringBuilder text = new StringBuilder(name + ": |\n");
    properties.lines().forEach(line -> text.append("  ").append(line).append('\n'));
    return text.toString();
  }
}
