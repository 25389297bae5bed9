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

class BadWorkloadTest {
  /** Valid; its eighth line is left for the line under test. */
  private static final String VALID =
      """
      topics: 1
      partitionsPerTopic: 4
      messageSize: 100
      subscriptionsPerTopic: 1
      producersPerTopic: 1
      consumerPerSubscription: 1
      testDuration: 8s
      """;

  private static final String RATE = "producerRate: 10\n";

  @TempDir Path folder;

  static Stream<Arguments> linesToAdd() {
    return Stream.of(
        arguments(
            "producerrate: 10",
            ":8: producerrate: unknown key; the nearest known key is producerRate"),
        arguments(
            "warmupDuraton: 1s",
            ":8: warmupDuraton: unknown key; the nearest known key is warmupDuration"),
        arguments("topics: 2", ":8: topics: given twice, first on line 1; keep one"),
        arguments("seed: 1.5", ":8: seed: must be a whole number, not 1.5; write it as seed: 1"),
        arguments("name: 7", ":8: name: must be a text, not 7; put it in quotes"),
        arguments("name: [a, b]", ":8: name: must be a text, not a list; put it in quotes"),
        arguments(
            "keyDistributor: NOKEY",
            ":8: keyDistributor: unknown value NOKEY; the nearest known one is NO_KEY"),
        arguments(
            "payloadFile: none.data",
            ":8: payloadFile: no file none.data; put it in FOLDER or the current folder, or remove the key"),
        arguments(
            "payloadFile: short.data",
            ":8: payloadFile: FOLDER/short.data has 99 bytes but messageSize is 100; make the two equal"),
        arguments(
            "testDurationMinutes: 1",
            ":7: testDuration: cannot be combined with testDurationMinutes; keep one of the two"),
        arguments(
            "warmupDurationMinutes: -1",
            ":8: warmupDurationMinutes: must be from 0 to 527040, not -1; give a number in that range"),
        arguments(
            "warmupDuration: 10",
            ":8: warmupDuration: must be a duration of at most 366 days, not 10; write it as 500ms, 90s, 15m or 36h"),
        arguments(
            "drainTimeout: 1 hour",
            ":8: drainTimeout: must be a duration of at most 366 days, not the text \"1 hour\"; write it as 500ms, 90s, 15m or 36h"),
        arguments("name: *other", ":8: YAML aliases are not supported; write the value out"),
        arguments(
            "name: a: b",
            ":8: is not valid YAML: mapping values are not allowed here; correct the syntax"));
  }

  @ParameterizedTest
  @MethodSource("linesToAdd")
  void oneBadLineIsOneProblem(String line, String expected) throws IOException {
    Files.write(folder.resolve("short.data"), new byte[99]);
    String text = VALID + line + "\n" + RATE;
    assertThat(problems(text)).containsExactly("FILE" + expected);
  }

  static Stream<Arguments> valuesToChange() {
    return Stream.of(
        arguments(
            "topics: 1",
            "topics: 0",
            ":1: topics: must be from 1 to 1000000, not 0; give a number in that range"),
        arguments(
            "topics: 1",
            "topics: \"1\"",
            ":1: topics: must be a whole number, not the text \"1\"; write it as topics: 1"),
        arguments(
            "topics: 1",
            "topics:",
            ":1: topics: must be a whole number, not empty; write it as topics: 1"),
        arguments(
            "topics: 1",
            "topics: 99999999999999999999",
            ":1: topics: must be from 1 to 1000000, not 99999999999999999999; give a number in that range"),
        arguments(
            "topics: 1\n",
            "",
            ":1: topics: missing; add topics: N, a whole number from 1 to 1000000"),
        arguments(
            "partitionsPerTopic: 4",
            "partitionsPerTopic: 0",
            ":2: partitionsPerTopic: must be from 1 to 100000, not 0; give a number in that range"),
        arguments(
            "messageSize: 100",
            "messageSize: 27",
            ":3: messageSize: must be from 28 to 134217728, not 27; give a number in that range"),
        arguments(
            "messageSize: 100",
            "messageSize: 1e3",
            ":3: messageSize: must be a whole number, not 1e3; write it as messageSize: 28"),
        arguments(
            "producerRate: 10",
            "producerRate: -5",
            ":8: producerRate: must be above 0, not -5; give the messages per second to offer"),
        arguments(
            "producerRate: 10",
            "producerRate: fast",
            ":8: producerRate: must be a rate, not the text \"fast\"; write it as 1000, 20k/s or 500MB/s"),
        arguments(
            "producerRate: 10",
            "producerRate: .inf",
            ":8: producerRate: must be a rate, not the text \".inf\"; write it as 1000, 20k/s or 500MB/s"),
        arguments(
            "testDuration: 8s",
            "testDuration: 0s",
            ":7: testDuration: must be at least 1ms, not the text \"0s\"; make it longer"),
        arguments(
            "testDuration: 8s\n",
            "",
            ":1: testDuration: missing; add testDuration: 60s or testDurationMinutes: N"),
        arguments(
            "topics: 1",
            "topics: 1000000",
            ":2: partitionsPerTopic: makes 400000000 partitions over all topics; stay within 10000000"));
  }

  @ParameterizedTest
  @MethodSource("valuesToChange")
  void oneBadValueIsOneProblem(String from, String to, String expected) throws IOException {
    String text = (VALID + RATE).replace(from, to);
    if (to.equals("topics: 1000000")) {
      text = text.replace("partitionsPerTopic: 4", "partitionsPerTopic: 400");
    }
    assertThat(problems(text)).containsExactly("FILE" + expected);
  }

  @Test
  void allProblemsComeAtOnceInFileOrder() throws IOException {
    String text =
        """
        topics: 0
        partitionsPerTopic: x
        messageSize: 10
        payloadFile: short.data
        producerRate: -1
        colour: red
        """;
    Files.write(folder.resolve("short.data"), new byte[99]);
    assertThat(problems(text))
        .extracting(line -> line.replaceAll("FILE:(\\d+): ([^:]+):.*", "$1 $2"))
        .containsExactly(
            "1 topics",
            "1 producersPerTopic",
            "1 subscriptionsPerTopic",
            "1 consumerPerSubscription",
            "1 testDuration",
            "2 partitionsPerTopic",
            "3 messageSize",
            "5 producerRate",
            "6 colour");
  }

  static Stream<Arguments> wholeFiles() {
    return Stream.of(
        arguments("", "FILE: is empty; write one key: value per line"),
        arguments("- a\n- b\n", "FILE:1: is not a mapping; write one key: value per line"),
        arguments(
            VALID + RATE + "---\nname: two\n",
            "FILE:10: holds a second document; keep one document per file"),
        arguments(
            "topics: 1\n\tname: x\n",
            "FILE:2: is not valid YAML: found character '\\t(TAB)' that cannot start any token. (Do not use \\t(TAB) for indentation); correct the syntax"));
  }

  @ParameterizedTest
  @MethodSource("wholeFiles")
  void aFileThatIsNoMappingIsOneProblem(String text, String expected) throws IOException {
    assertThat(problems(text)).containsExactly(expected);
  }

  @Test
  void aFileThatIsNotThereIsOneProblem() {
    Path file = folder.resolve("absent.yaml");
    Problems problems = new Problems();
    assertThat(Workload.read(file, problems)).isEmpty();
    assertThat(problems.all().get(0).text())
        .isEqualTo(file + ": not found; give the path of a readable YAML file");
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
