// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.tailrace.loadgen.workload.Problems.Problem;
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

/** Wrong types, ranges and conflicts of the fields beyond OMB's. */
class BadSupersetTest {
  /** Valid; its ninth line is left for the lines under test. */
  private static final String VALID =
      """
      topics: 1
      partitionsPerTopic: 4
      messageSize: 100
      subscriptionsPerTopic: 1
      producersPerTopic: 1
      consumerPerSubscription: 1
      testDurationMinutes: 1
      producerRate: 10
      """;

  @TempDir Path folder;

  static Stream<Arguments> additions() {
    return Stream.of(
        arguments(
            "seed: 1\ndialect: kafka",
            "10: dialect: unknown value kafka; the nearest known one is omb"),
        arguments(
            "dialect: omb\nseed: 1",
            "10: seed: not a key of dialect omb but of tailrace; remove it, or set dialect: tailrace"),
        arguments(
            "dialect: redpanda\nlogIntervalMillis: 5",
            "10: logIntervalMillis: not a key of dialect redpanda but of automq; remove it, or set dialect: tailrace"),
        arguments(
            "warmupProducerRate: 5\nlogIntervalMillis: 5",
            "9: warmupProducerRate: no dialect knows all of warmupProducerRate (vanlightly), logIntervalMillis"
                + " (automq); remove one side, or set dialect: tailrace"),
        arguments("keys: zip", "9: keys: unknown value zip; the nearest known one is zipf"),
        arguments(
            "keys: {count: 5}",
            "9: keys.choice: missing; add choice: none, roundRobin, random or zipf"),
        arguments(
            "keys: {choice: zipf, count: 0}",
            "9: keys.count: must be from 1 to 100000000, not 0; give a number in that range"),
        arguments(
            "keys: {choice: random, exponent: 1}",
            "9: keys.exponent: has an effect only with zipf; remove it, or set choice: zipf"),
        arguments(
            "keys:\n  choice: random\n  sise: 5",
            "11: keys.sise: unknown key; the nearest known key is bytes"),
        arguments(
            "keys: random\nkeyDistributor: NO_KEY",
            "9: keys: cannot be combined with keyDistributor; keep one of the two"),
        arguments(
            "headers: [a]",
            "9: headers: must be a mapping, not a list; write indented lines under it, as name: …"),
        arguments("headers: {a: 1}", "9: headers.a: must be a text, not 1; put it in quotes"),
        arguments(
            "arrivals: often",
            "9: arrivals: unknown value often; the nearest known one is constant"),
        arguments(
            "arrivals: {bursts: {every: 1s, lasting: 2s}}",
            "9: arrivals.bursts.lasting: is longer than every; make it shorter"),
        arguments(
            "arrivals: {bursts: {every: 1s}}",
            "9: arrivals.bursts.lasting: missing; add lasting: 1s"),
        arguments(
            "messages: 5\nbytes: 1MB",
            "10: bytes: cannot be combined with messages; keep one of the two"),
        arguments(
            "bytes: 1 elephant",
            "9: bytes: must be a number of bytes, not the text \"1 elephant\"; write it as 1024B, 500MB or 10GiB"),
        arguments(
            "readToEnd: yes please",
            "9: readToEnd: must be true or false, not the text \"yes please\"; write true or false"),
        arguments(
            "readToEnd: true\nconsumerType: share",
            "9: readToEnd: a share group has no position; set consumerType: group"),
        arguments(
            "consumerType: share\nconsumerThreads: perPartition",
            "10: consumerThreads: members of share groups own no partitions; write {pool: N} or one"),
        arguments(
            "consumerThreads: {pool: 0}",
            "9: consumerThreads.pool: must be from 1 to 1000, not 0; give a number in that range"),
        arguments(
            "processingTime: 5",
            "9: processingTime: must be a duration of at most 366 days, not 5; write it as 500ms, 90s, 15m or 36h"),
        arguments(
            "transactions: {}",
            "9: transactions.messages: missing; add messages: N, a whole number from 1 to 2147483647"),
        arguments(
            "transactions: {messages: 1, abortRatio: 120%}",
            "9: transactions.abortRatio: must be a share, not the text \"120%\"; write it as 0.01 or 1%"),
        arguments(
            "abortWhen: {}", "9: abortWhen: has no condition; add behind: 30s or errorRate: 1%"),
        arguments(
            "abortWhen: {errorRate: 2}",
            "9: abortWhen.errorRate: must be from 0 to 1, not 2; give a number in that range"),
        arguments(
            "slo: {endToEnd.p98: 5ms}",
            "9: slo.endToEnd.p98: unknown key; the nearest known key is endToEnd.p90"),
        arguments(
            "slo: {endToEnd.p99: fast}",
            "9: slo.endToEnd.p99: must be a duration of at most 366 days, not the text \"fast\"; write it as 500ms,"
                + " 90s, 15m or 36h"),
        arguments(
            "slo: {backlogDrain: 5m}",
            "9: slo: backlogDrain without a backlog; add backlog: {bytes: 10GiB}"),
        arguments(
            "backlog: {drainRatio: 1}",
            "9: backlog: has no size; add bytes: 10GiB, messages: N or lasting: 10m"),
        arguments(
            "backlog: {bytes: 5}\nconsumerBacklogSizeGB: 1",
            "9: backlog: cannot be combined with consumerBacklogSizeGB; keep one of the two"),
        arguments(
            "retentionFill: {timeout: 1h}",
            "9: retentionFill: has an effect only with measureAfter: retentionReached; add that or remove this"),
        arguments(
            "measureAfter: lunch",
            "9: measureAfter: unknown value lunch; the nearest known one is warmup"),
        arguments(
            "rateCurve: [{at: 0s, rate: 5}]",
            "9: rateCurve: cannot be combined with producerRate; keep one of the two"),
        arguments(
            "useRandomizedPayloads: true",
            "1: randomizedPayloadPoolSize: must be 1 or more with useRandomizedPayloads: true; add"
                + " randomizedPayloadPoolSize: 1000"),
        arguments(
            "messageSizeDistribution: {\"9-5\": 1}",
            "9: messageSizeDistribution.9-5: not a range of sizes; write it as \"100-1000\" or \"1KiB-4KiB\""),
        arguments(
            "partitionsPerTopicList: [1, 2]",
            "9: partitionsPerTopicList: has 2 entries for 1 topics; give one for each topic"),
        arguments(
            "existingTopicList: [a]",
            "1: topics: cannot be combined with lists of existing topics; set it to 0 or remove the lists"),
        arguments(
            "repeat: 0", "9: repeat: must be from 1 to 10000, not 0; give a number in that range"),
        arguments(
            "payloadFile: ./empty",
            "9: payloadFile: FOLDER/./empty is a folder without files; put payload files into it"));
  }

  @ParameterizedTest
  @MethodSource("additions")
  void oneMistakeIsOneProblem(String lines, String expected) throws IOException {
    Files.createDirectories(folder.resolve("empty"));
    assertThat(problems(VALID + lines + "\n")).containsExactly("FILE:" + expected);
  }

  static Stream<Arguments> changes() {
    return Stream.of(
        arguments(
            "producersPerTopic: 1",
            "producersPerTopic: 0",
            "5: producersPerTopic: 0 for a topic that the run makes leaves nothing to read; name existing topics, or"
                + " add a producer"),
        arguments(
            "consumerPerSubscription: 1",
            "consumerPerSubscription: 0",
            "6: consumerPerSubscription: a group without consumers; set it to 1 or more, or have no subscriptions"),
        arguments(
            "producerRate: 10",
            "rateCurve: [{at: 5s, rate: 5}, {at: 1s, rate: 6}]",
            "8: rateCurve: 1 s is not after the previous point; put the points in order of time"),
        arguments(
            "producerRate: 10",
            "rateCurve: [{at: 5s}]",
            "8: rateCurve[0].rate: missing; add rate: 1000"),
        arguments(
            "producerRate: 10",
            "producerRateList: [[1, 2], [1, 2, 3]]",
            "8: producerRateList: not of one form; write [hour, minute, rate] each, or [minute, rate] each"),
        arguments(
            "topics: 1",
            "topics: [{name: \"a b\"}]",
            "1: topics[0].name: not a topic name: the text \"a b\"; use 1 to 249 of A-Z a-z 0-9 . _ -"),
        arguments(
            "topics: 1",
            "topics: [{name: a}, {name: a}]",
            "1: topics: names a twice; name each topic once"),
        arguments(
            "topics: 1",
            "topics: [{existing: true}]",
            "1: topics[0].existing: an existing topic needs a name; add name: …"));
  }

  @ParameterizedTest
  @MethodSource("changes")
  void oneWrongValueIsOneProblem(String from, String to, String expected) throws IOException {
    assertThat(problems(VALID.replace(from, to))).containsExactly("FILE:" + expected);
  }

  @Test
  void problemsBelowAKeyHaveTheirOwnLines() throws IOException {
    String text =
        VALID
            + """
            backlog:
              bytes: 0
              drainRatio: 7
            slo:
              endToEnd.p99: 5
            """;
    assertThat(problems(text))
        .extracting(line -> line.replaceAll("FILE:(\\d+): ([^:]+):.*", "$1 $2"))
        .containsExactly("10 backlog.bytes", "11 backlog.drainRatio", "13 slo.endToEnd.p99");
  }

  private List<String> problems(String text) throws IOException {
    Path file = Files.writeString(folder.resolve("bad.yaml"), text);
    Problems problems = new Problems();
    Workload.read(file, problems);
    return problems.all().stream()
        .map(Problem::text)
        .map(line -> line.replace(file.toString(), "FILE").replace(folder.toString(), "FOLDER"))
        .toList();
  }
}
