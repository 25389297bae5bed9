// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import java.io.PrintStream;
import java.io.PrintWriter;
import org.slf4j.bridge.SLF4JBridgeHandler;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** Entry point of the load generator. */
@Command(
    name = "tailrace-loadgen",
    description = "Sends load to a Kafka-protocol broker and records every message.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "(plan | run | ship | transform)",
    footer = {"", "Help on a command: plan --help, run --help, ship --help, transform --help"})
public final class Main {
  private Main() {}

  public static void main(String[] args) {
    SLF4JBridgeHandler
        .removeHandlersForRootLogger(); // OpenTelemetry logs through java.util.logging
    SLF4JBridgeHandler.install();
    System.exit(execute(System.out, System.err, args));
  }

  static int execute(PrintStream out, PrintStream err, String... args) {
    ErrorLines errors = new ErrorLines();
    return new CommandLine(new Main())
        .addSubcommand(new PlanCommand())
        .addSubcommand(new RunCommand(out, err))
        .addSubcommand(new ShipCommand(out))
        .addSubcommand(new TransformCommand(out, err))
        .setOut(new PrintWriter(out, true))
        .setErr(new PrintWriter(err, true))
        .setParameterExceptionHandler(errors)
        .setExecutionExceptionHandler(errors)
        .execute(args);
  }
}
