// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The program as a process: exit status and streams as a shell sees them. */
class ProcessTest {
  @TempDir Path folder;

  private Process process;

  @AfterEach
  void stopTheProcess() {
    if (process != null) {
      process.destroyForcibly();
    }
  }

  @Test
  void planSucceedsWithNothingOnStderr() throws Exception {
    InputFiles files = InputFiles.in(folder);
    start(
        Main.class,
        "plan",
        "--workload",
        files.workload().toString(),
        "--driver",
        files.driver().toString(),
        "--bootstrap-servers",
        "b:1");
    assertThat(text(process.getInputStream())).startsWith("{").contains("\"run_id\" : \"RUN_ID\"");
    assertThat(text(process.getErrorStream())).isEmpty();
    assertThat(exitStatus()).isEqualTo(0);
  }

  @Test
  void badInputExitsWith2() throws Exception {
    start(Main.class, "plan", "--workload", "absent.yaml", "--driver", "absent.yaml");
    assertThat(text(process.getErrorStream()).lines())
        .isNotEmpty()
        .allMatch(line -> line.startsWith("absent.yaml: not found; "));
    assertThat(exitStatus()).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(strings = {"INT", "TERM"})
  void aSignalEndsTheRunInOrderAndExitsWith130(String signal) throws Exception {
    start(WaitingProgram.class);
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    assertThat(out.readLine()).isEqualTo(WaitingProgram.STARTED);
    send(signal);
    assertThat(out.readLine()).isEqualTo(WaitingProgram.ENDED_IN_ORDER);
    assertThat(exitStatus()).isEqualTo(130);
  }

  @Test
  void aRunThatFailsWhileStoppingReportsTheError() throws Exception {
    start(WaitingProgram.class, "fail");
    assertThat(process.inputReader(StandardCharsets.UTF_8).readLine())
        .isEqualTo(WaitingProgram.STARTED);
    send("TERM");
    assertThat(text(process.getErrorStream()))
        .contains("while stopping: ")
        .contains("flush failed");
    assertThat(exitStatus()).isEqualTo(130);
  }

  private void start(Class<?> main, String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    command.addAll(List.of(args));
    process = new ProcessBuilder(command).start();
  }

  private void send(String signal) throws IOException, InterruptedException {
    String pid = Long.toString(process.pid());
    assertThat(new ProcessBuilder("kill", "-" + signal, pid).start().waitFor()).isZero();
  }

  private int exitStatus() throws InterruptedException {
    assertThat(process.waitFor(30, TimeUnit.SECONDS)).as("the process ended").isTrue();
    return process.exitValue();
  }

  private static String text(InputStream stream) throws IOException {
    return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
  }
}
