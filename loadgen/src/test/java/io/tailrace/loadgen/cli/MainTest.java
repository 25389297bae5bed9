// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {
  @TempDir Path folder;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private InputFiles files;

  @BeforeEach
  void writeFiles() throws IOException {
    files = InputFiles.in(folder);
  }

  @Test
  void planPrintsJson() throws IOException {
    assertThat(plan("--bootstrap-servers", "b:1", "--seed", "7")).isEqualTo(0);
    assertThat(new ObjectMapper().readTree(out.toByteArray()).path("seed").asLong()).isEqualTo(7);
    assertThat(errors()).isEmpty();
  }

  @Test
  void planWithoutAClusterIsBadInput() {
    assertThat(plan()).isEqualTo(2);
    assertThat(errors())
        .containsExactly(
            files.driver()
                + ":1: commonConfig: bootstrap.servers is missing; add bootstrap.servers=HOST:PORT,"
                + " or give --bootstrap-servers HOST:PORT");
    assertThat(out.size()).isZero();
  }

  @Test
  void transformWithoutACopyIsBadInput() {
    List<String> args =
        new ArrayList<>(List.of("transform", "--run-id", "r", "--bootstrap-servers", "b:1"));
    addFiles(args);
    assertThat(execute(args)).isEqualTo(2);
    assertThat(errors())
        .containsExactly("--workload: no topic is a copy of another one; give one of them copyOf");
  }

  @Test
  void badFilesAreOneLinePerProblem() throws IOException {
    Files.writeString(files.workload(), "topics: 0\n");
    Files.writeString(files.driver(), "reset: true\n");
    assertThat(plan("--bootstrap-servers", "b:1")).isEqualTo(2);
    assertThat(errors()).hasSizeGreaterThan(3).allMatch(line -> line.startsWith(folder.toString()));
  }

  @ParameterizedTest
  @CsvSource({
    "--worker 0/0,the number of workers must be from 1 to 65536",
    "--worker 1/4,--worker 1/4: give all workers one --start-at",
    "--start-at 2001-01-01T00:00:00Z,--start-at 2001-01-01T00:00:00Z: is in the past",
    "--start-at soon,Invalid value for option '--start-at'",
    "--run-id a/b,the run id must be a letter or digit",
    "--otlp-endpoint nonsense,--otlp-endpoint: not http://HOST:PORT",
    "--otlp-endpoint ftp://h:1,--otlp-endpoint: not http://HOST:PORT",
    "--summary /no/such/folder/s.json,--summary: no folder /no/such/folder",
    "--worker 1/4 --start-at 2999-01-01T00:00:00Z,--worker 1/4: give all workers one --agreement-url",
    "--worker 1/4 --start-at 2999-01-01T00:00:00Z --agreement-url h:1,--agreement-url: not http://HOST:PORT",
    "--worker 1/4 --start-at 2999-01-01T00:00:00Z --agreement-url http://h:1,the run's token is missing",
    "--worker 1/4 --start-at 2999-01-01T00:00:00Z --agreement-url http://h:1 --agreement-listen h,--agreement-listen: not HOST:PORT: h",
    "--worker 1/4 --start-at 2999-01-01T00:00:00Z --agreement-url http://h:1 --agreement-token-file /no/token,--agreement-token-file /no/token: cannot be read",
    "--worker x,'--worker: not like 0/4, worker 0 of 4: x'",
    "--colour red,Unknown options",
  })
  void badOptionsOfRunAreOneLine(String option, String message) {
    List<String> args = new ArrayList<>(List.of("run"));
    addFiles(args);
    args.addAll(List.of("--bootstrap-servers", "b:1"));
    addUnlessGiven(args, option, "--run-id", "r");
    addUnlessGiven(args, option, "--otlp-endpoint", "http://127.0.0.1:1");
    args.addAll(List.of(option.split(" ")));
    assertThat(execute(args)).isEqualTo(2);
    assertThat(errors()).singleElement().asString().startsWith("tailrace-loadgen run: " + message);
  }

  @Test
  void aWorkerBeyondTheLastIsOneLine() {
    List<String> args = new ArrayList<>(List.of("run"));
    addFiles(args);
    args.addAll(List.of("--bootstrap-servers", "b:1", "--run-id", "r", "--worker", "4/4"));
    args.addAll(List.of("--otlp-endpoint", "http://127.0.0.1:1"));
    args.addAll(List.of("--start-at", "2999-01-01T00:00:00Z"));
    assertThat(execute(args)).isEqualTo(2);
    assertThat(errors()).singleElement().asString().contains("worker 4 is not one of 4");
  }

  @ParameterizedTest
  @ValueSource(strings = {"plan", "run"})
  void missingOptionsAreOneLine(String command) {
    assertThat(execute(List.of(command))).isEqualTo(2);
    assertThat(errors()).singleElement().asString().contains("Missing required options");
  }

  @Test
  void noCommandIsBadInput() {
    assertThat(execute(List.of())).isEqualTo(2);
    assertThat(errors()).singleElement().asString().contains("Missing required subcommand");
  }

  @ParameterizedTest
  @ValueSource(strings = {"plan", "run"})
  void helpHasAnExample(String command) {
    assertThat(execute(List.of(command, "--help"))).isEqualTo(0);
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("Examples:")
        .contains(command + " --workload workloads/demo.yaml");
  }

  @Test
  void versionNamesTheProgram() {
    assertThat(execute(List.of("--version"))).isEqualTo(0);
    assertThat(out.toString(StandardCharsets.UTF_8)).startsWith("tailrace-loadgen ");
  }

  private int plan(String... more) {
    List<String> args = new ArrayList<>(List.of("plan"));
    addFiles(args);
    args.addAll(List.of(more));
    return execute(args);
  }

  private void addFiles(List<String> args) {
    args.addAll(
        List.of("--workload", files.workload().toString(), "--driver", files.driver().toString()));
  }

  private static void addUnlessGiven(List<String> args, String given, String name, String value) {
    if (!given.startsWith(name + " ")) {
      args.addAll(List.of(name, value));
    }
  }

  private int execute(List<String> args) {
    return Main.execute(
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8),
        args.toArray(String[]::new));
  }

  private List<String> errors() {
    return err.toString(StandardCharsets.UTF_8).lines().toList();
  }
}
