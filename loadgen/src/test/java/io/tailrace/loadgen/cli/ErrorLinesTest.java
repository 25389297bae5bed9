// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.kafka.BadInputException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

class ErrorLinesTest {
  private final StringWriter err = new StringWriter();

  @Test
  void badInputIsItsOwnLine() {
    assertThat(execute(new BadInputException("broker b:1: no answer; start it"))).isEqualTo(2);
    assertThat(lines()).containsExactly("broker b:1: no answer; start it");
  }

  @Test
  void anUnexpectedExceptionIsOneLineThatPointsToTheStack() {
    assertThat(execute(new IllegalStateException("broken\nbadly"))).isEqualTo(1);
    assertThat(lines())
        .containsExactly(
            "unexpected IllegalStateException: broken; run again with --verbose for the stack");
  }

  @Test
  void verboseShowsTheStack() {
    assertThat(execute(new IllegalStateException("broken"), "--verbose")).isEqualTo(1);
    assertThat(lines().get(0)).isEqualTo("unexpected IllegalStateException: broken");
    assertThat(lines()).anyMatch(line -> line.contains("at io.tailrace"));
  }

  @Test
  void anInterruptHasTheExitCodeOfASignal() {
    assertThat(execute(new InterruptedException())).isEqualTo(130);
  }

  private int execute(Exception failure, String... options) {
    List<String> args = new ArrayList<>(List.of("failing"));
    args.addAll(List.of(options));
    return new CommandLine(new Program())
        .addSubcommand(new Failing(failure))
        .setErr(new PrintWriter(err, true))
        .setExecutionExceptionHandler(new ErrorLines())
        .execute(args.toArray(String[]::new));
  }

  private List<String> lines() {
    return err.toString().lines().toList();
  }

  @Command(name = "program")
  private static final class Program {}

  @Command(name = "failing")
  private static final class Failing implements Callable<Integer> {
    private final Exception failure;

    @Option(names = "--verbose")
    private boolean verbose;

    Failing(Exception failure) {
      this.failure = failure;
    }

    @Override
    public Integer call() throws Exception {
      throw failure;
    }
  }
}
