// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tailrace.loadgen.kafka.KafkaConfigNames;
import io.tailrace.loadgen.workload.Problems.Problem;
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

/** Combinations that cannot be run, each refused in one line before anything is started. */
class ConflictsTest {
  private static final String BOTH =
      """
      topics: 1
      partitionsPerTopic: 4
      messageSize: 100
      producersPerTopic: 1
      subscriptionsPerTopic: 1
      consumerPerSubscription: 1
      testDuration: 90s
      """;

  private static final String OMB = BOTH.replace("testDuration: 90s", "testDurationMinutes: 1");
  private static final String RATE = "producerRate: 10\n";
  private static final String PRODUCE_ONLY =
      BOTH.replace("subscriptionsPerTopic: 1", "subscriptionsPerTopic: 0") + RATE;
  private static final String CONSUME_ONLY =
      """
      topics: 0
      existingConsumeTopicList: [a]
      messageSize: 100
      producersPerTopic: 0
      subscriptionsPerTopic: 1
      consumerPerSubscription: 1
      testDuration: 90s
      dialect: tailrace
      """;

  private static final String SHARE = BOTH + RATE + "consumerType: share\n";

  @TempDir Path folder;

  static Stream<Arguments> workloads() {
    String unpaused = "a share group cannot be paused; set consumerType: group, or remove it";
    return Stream.of(
        arguments(
            BOTH + "producerRate: discover\nwarmupDuration: 0s",
            "8: producerRate: is searched in the warm-up, which is too short; set warmupDuration: 60s"
                + " and no warm-up rate, or set a rate"),
        arguments(SHARE + "backlog: {lasting: 5s}", "10: backlog: " + unpaused),
        arguments(SHARE + "consumeDelaySeconds: 5", "10: consumeDelaySeconds: " + unpaused),
        arguments(
            SHARE.replace("dialect: tailrace", "") + "consumerBacklogSizeGB: 1",
            "10: consumerBacklogSizeGB: " + unpaused),
        arguments(
            OMB + "producerRate: 0\nwarmupDurationMinutes: 0",
            "8: producerRate: is searched in the warm-up, which is too short; set warmupDuration: 60s"
                + " and no warm-up rate, or set a rate"),
        arguments(
            OMB + "producerRate: 0\nconsumeDelaySeconds: 5",
            "9: consumeDelaySeconds: a search for the rate needs its consumers; set a rate, or remove it"),
        arguments(
            BOTH + "producerRate: max\nabortWhen: {behind: 5s}",
            "9: abortWhen.behind: rate max has no schedule to be behind; remove it"),
        arguments(
            BOTH + "producerRate: max\narrivals: poisson",
            "9: arrivals: has no effect without a rate; set producerRate to a rate"),
        arguments(
            BOTH + RATE + "readToEnd: true\nmessages: 5",
            "10: messages: cannot be combined with readToEnd; keep one: either ends the measure phase"),
        arguments(
            BOTH + RATE + "warmupReads: 1",
            "9: warmupReads: has an effect only with readToEnd; add readToEnd: true, or remove it"),
        arguments(
            BOTH + RATE + "consumeDelaySeconds: 150",
            "9: consumeDelaySeconds: is as long as the whole load of 150 s; make it shorter"),
        arguments(
            BOTH + RATE + "traceOneIn: 5\nheaders: {traceparent: a}",
            "10: headers.traceparent: traceOneIn sets this header; remove it"),
        arguments(
            BOTH + RATE + "backlog: {lasting: 5s, buildTimeout: 9s}",
            "9: backlog.buildTimeout: has no effect with lasting alone; remove it"),
        arguments(
            BOTH.replace("topics: 1", "topics: [{name: a, existing: true, partitions: 4}]") + RATE,
            "1: topics[0].partitions: an existing topic has its own already; remove it"),
        arguments(
            BOTH.replace("topics: 1", "topics: [{name: a}, {name: b, copyOf: a}]") + RATE,
            "1: topics: a copy of a has producers, whose messages are no copies; set its producers to 0,"
                + " or remove copyOf"),
        arguments(
            BOTH.replace("topics: 1", "topics: [{name: a}, {name: b, producers: 0, copyOf: c}]")
                + RATE,
            "1: topics: copyOf names c, which is no topic with producers; name a topic of this list that"
                + " has producers"),
        arguments(
            BOTH.replace("topics: 1", "topics: [{name: a}, {name: b, producers: 0, copyOf: a}]")
                + RATE
                + "transactions: {messages: 5}",
            "9: transactions: the messages of a cannot be compared with its copy (copyOf) if producers use"
                + " transactions; remove one of the two"),
        arguments(
            BOTH + RATE + "releaseRatio: 5%",
            "9: releaseRatio: only members of share groups release messages; set consumerType: share, or"
                + " remove it"),
        arguments(
            BOTH.replace("topics: 1", "topics: [{name: a}]") + RATE + "existingTopicList: [b]",
            "9: existingTopicList: cannot be combined with a list of topics; keep one of the two"),
        arguments(
            BOTH.replace("topics: 1", "topics: [{name: a}]") + RATE + "partitionsPerTopicList: [5]",
            "9: partitionsPerTopicList: cannot be combined with a list of topics; keep one of the two"),
        arguments(
            BOTH + RATE + "sampleEvery: 1s\nlogIntervalMillis: 5",
            "9: sampleEvery: cannot be combined with logIntervalMillis; keep one of the two"),
        arguments(
            BOTH + RATE + "warmupUntilSteady: 20s",
            "9: warmupUntilSteady: is not longer than warmupDuration, 60 s, which is the least; make it longer"),
        arguments(
            BOTH + "producerRate: discover\nwarmupUntilSteady: 5m",
            "9: warmupUntilSteady: a search for the rate is never steady; set a rate, or remove it"),
        arguments(
            BOTH + RATE + "slo: {steady: true}",
            "9: slo.steady: the warm-up has a fixed length; add warmupUntilSteady: 5m"),
        reads("readToEnd: true", "add a subscription"),
        reads("consumerType: share", "add a subscription, or remove it"),
        reads("consumerThreads: perPartition", "add a subscription, or remove it"),
        reads("processingTime: 5ms", "add a subscription, or remove it"),
        reads("consumeDelaySeconds: 5", "add a subscription, or remove it"),
        arguments(
            PRODUCE_ONLY + "slo: {endToEnd.p99: 5ms}",
            "9: slo.endToEnd.p99: no topic has a subscription; add a subscription, or remove it"),
        arguments(
            PRODUCE_ONLY + "slo: {lost: 0}",
            "9: slo.lost: no topic has a subscription; add a subscription, or remove it"),
        arguments(
            PRODUCE_ONLY + "backlog: {lasting: 5s}",
            "9: backlog: needs producers and consumers; add them, or remove it"),
        writes("arrivals: poisson", "add a producer, or remove it"),
        writes("keys: zipf", "add a producer, or remove it"),
        writes("headers: {a: b}", "add a producer, or remove it"),
        writes("traceOneIn: 5", "add a producer, or remove it"),
        writes("warmupRate: 5", "add a producer, or remove it"),
        writes("warmupUntilSteady: 5m", "add a producer, or remove it"),
        writes("rateCurve: [{at: 0s, rate: 5}]", "add a producer, or remove it"),
        writes("abortWhen: {errorRate: 1%}", "add a producer, or remove it"),
        writes("messages: 5", "add a producer, or use readToEnd: true"),
        writes("transactions: {messages: 5}", "add a producer"),
        writes("measureAfter: retentionReached", "add a producer, or remove it"),
        arguments(
            CONSUME_ONLY + "slo: {publish.p99: 5ms}",
            "9: slo.publish.p99: no topic has a producer; add a producer, or remove it"),
        arguments(
            CONSUME_ONLY + "producerRate: often",
            "9: producerRate: must be a rate, not the text \"often\"; write it as 1000, 20k/s or 500MB/s"));
  }

  private static Arguments reads(String line, String remedy) {
    String key = line.substring(0, line.indexOf(':'));
    return arguments(PRODUCE_ONLY + line, "9: " + key + ": no topic has a subscription; " + remedy);
  }

  private static Arguments writes(String line, String remedy) {
    String key = line.substring(0, line.indexOf(':'));
    return arguments(CONSUME_ONLY + line, "9: " + key + ": no topic has a producer; " + remedy);
  }

  @ParameterizedTest
  @MethodSource("workloads")
  void oneConflictIsOneLine(String workload, String expected) throws IOException {
    assertThat(problems(workload + "\n", "")).containsExactly("FILE:" + expected);
  }

  static Stream<Arguments> drivers() {
    String transactions = BOTH + RATE + "transactions: {messages: 5, abortRatio: 1%}";
    return Stream.of(
        arguments(
            BOTH.replace("messageSize: 100", "messageSize: 2MiB") + RATE,
            "",
            "3: messageSize: 2097152 bytes do not fit the driver's max.request.size of 1048576; raise it in"
                + " producerConfig, or send smaller messages"),
        arguments(
            BOTH.replace("messageSize: 100", "messageSize: 2000") + RATE,
            "topicConfig: max.message.bytes=1000",
            "3: messageSize: 2000 bytes do not fit the driver's max.message.bytes of 1000; raise it in topicConfig,"
                + " or send smaller messages"),
        arguments(
            transactions,
            "producerConfig: enable.idempotence=false",
            "9: transactions: Cannot set a transactional.id without also enabling idempotence; correct the driver's"
                + " producerConfig"),
        arguments(
            transactions,
            "consumerConfig: isolation.level=read_uncommitted",
            "9: transactions: with isolation.level=read_uncommitted aborted messages would be received; remove that"
                + " from the driver's consumerConfig, or abort none"),
        arguments(
            BOTH + RATE + "transactions: {messages: 1000}",
            "",
            "9: transactions: 1000 messages take a producer 100 s, above transaction.timeout.ms=60000; take fewer,"
                + " raise producerRate, or raise that in producerConfig"),
        arguments(
            BOTH + RATE + "measureAfter: retentionReached",
            "topicConfig: retention.ms=-1",
            "9: measureAfter: the driver's topicConfig removes nothing: retention.ms=-1; set retention.bytes or"
                + " retention.ms there, or remove it"),
        arguments(
            BOTH + RATE + "measureAfter: retentionReached",
            "topicConfig: cleanup.policy=compact",
            "9: measureAfter: the driver's topicConfig removes nothing: cleanup.policy=compact; set retention.bytes"
                + " or retention.ms there, or remove it"));
  }

  @ParameterizedTest
  @MethodSource("drivers")
  void whatTheDriverMakesImpossibleIsReportedAtTheWorkloadsKey(
      String workload, String driver, String expected) throws IOException {
    assertThat(problems(workload + "\n", driver)).containsExactly("FILE:" + expected);
  }

  @Test
  void moreReplicasInSyncThanThereAreIsTheDriversOwnConflict() throws IOException {
    assertThat(problems(BOTH + RATE, "topicConfig: min.insync.replicas=2"))
        .containsExactly(
            "DRIVER:3: topicConfig: min.insync.replicas=2 is above replicationFactor, 1; lower it, or raise"
                + " replicationFactor");
  }

  @Test
  void aDriverWithoutAcknowledgementsIsOneLikeAnother() throws IOException {
    assertThat(problems(BOTH + RATE, "producerConfig: acks=0")).isEmpty();
    assertThat(problems(BOTH + RATE + "transactions: {messages: 5}", "producerConfig: acks=0"))
        .singleElement()
        .satisfies(
            line -> assertThat(line).startsWith("FILE:9: transactions: ").contains("idempotence"));
    assertThat(problems(BOTH + RATE, "producerConfig: \"acks=0\\nenable.idempotence=true\""))
        .singleElement()
        .satisfies(line -> assertThat(line).startsWith("DRIVER:3: producerConfig: "));
  }

  @Test
  void conflictsOfBothFilesAreReportedTogether() throws IOException {
    String text = SHARE.replace("messageSize: 100", "messageSize: 2MiB") + "backlog: {lasting: 5s}";
    assertThat(problems(text, "topicConfig: min.insync.replicas=2"))
        .extracting(line -> line.replaceAll("^(\\w+:\\d+: \\w+).*", "$1"))
        .containsExactly("FILE:3: messageSize", "FILE:10: backlog", "DRIVER:3: topicConfig");
  }

  private List<String> problems(String workload, String driver) throws IOException {
    Path file = Files.writeString(folder.resolve("w.yaml"), workload);
    String base = "replicationFactor: 1\ncommonConfig: bootstrap.servers=localhost:9092\n";
    Path driverFile = Files.writeString(folder.resolve("d.yaml"), base + driver + "\n");
    Problems problems = new Problems();
    KafkaConfigNames names = new KafkaConfigNames();
    Campaign campaign = Campaign.read(file, problems).orElseThrow();
    Workload read = campaign.workload(0, Dialect.Hint.NONE, problems);
    Driver.read(driverFile, DriverChanges.NONE, false, names, problems)
        .ifPresent(found -> campaign.checkDriver(0, read, found, names, problems));
    return problems.all().stream()
        .map(Problem::text)
        .map(line -> line.replace(file.toString(), "FILE"))
        .map(line -> line.replace(driverFile.toString(), "DRIVER"))
        .toList();
  }
}
