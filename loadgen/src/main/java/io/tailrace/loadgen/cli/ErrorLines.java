// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import io.tailrace.loadgen.contract.ExitCode;
import io.tailrace.loadgen.kafka.BadInputException;
import io.tailrace.loadgen.workload.Problems.InvalidInputException;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Turns exceptions into lines for the user and an exit status. */
final class ErrorLines implements IParameterExceptionHandler, IExecutionExceptionHandler {
  @Override
  public int handleParseException(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    String name = command.getCommandSpec().qualifiedName();
    command.getErr().println(name + ": " + firstLine(e) + "; see " + name + " --help");
    return ExitCode.BAD_INPUT;
  }

  @Override
  public int handleExecutionException(Exception e, CommandLine command, ParseResult parsed) {
    PrintWriter err = command.getErr();
    if (e instanceof InvalidInputException || e instanceof BadInputException) {
      err.println(e.getMessage());
      return ExitCode.BAD_INPUT;
    }
    if (e instanceof InterruptedException) {
      err.println("interrupted");
      return ExitCode.INTERRUPTED;
    }
    boolean verbose =
        Boolean.TRUE.equals(command.getParseResult().matchedOptionValue("--verbose", false));
    String hint = verbose ? "" : "; run again with --verbose for the stack";
    err.println("unexpected " + e.getClass().getSimpleName() + ": " + firstLine(e) + hint);
    if (verbose) {
      e.printStackTrace(err);
    }
    return ExitCode.FAILED;
  }

  private static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }
}
