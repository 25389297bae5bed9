// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import io.tailrace.loadgen.contract.ExitCode;
import io.tailrace.loadgen.kafka.BadInputException;
import io.tailrace.loadgen.kafka.HopCounts;
import io.tailrace.loadgen.kafka.TransformHop;
import io.tailrace.loadgen.plan.Plan;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs beside a run and copies messages between its topics. */
@Command(
    name = "transform",
    description = {
      "Copy the messages of a run's topics to the topics that are their copies (copyOf), exactly",
      "once, in transactions. Start it beside the run, with the same files and run id."
    },
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "It prints ready and waits for the run's topics. It ends on SIGTERM, when the topics are",
      "deleted, or when no message has come for a while.",
      "The last line counts messages, transactions, and instances that were fenced.",
      "Exit status: 0 ended, 1 an instance committed after it was replaced, 2 bad input.",
      "",
      "Examples:",
      "  transform --workload copies.yaml --driver workloads/drivers/kafka.yaml \\",
      "      --bootstrap-servers localhost:9092 --run-id copies-1 --replace-every 5",
    })
final class TransformCommand implements Callable<Integer> {
  private final PrintStream out;
  private final PrintStream err;

  @Spec private CommandSpec spec;
  @Mixin private InputOptions input;

  @Option(names = "--run-id", required = true, paramLabel = "ID", description = "The run's id.")
  private String runId;

  @Option(
      names = "--instances",
      paramLabel = "N",
      defaultValue = "2",
      description = "Instances that share each topic. Default: ${DEFAULT-VALUE}.")
  private int instances;

  @Option(
      names = "--idle",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "End after this time without a message. Default: ${DEFAULT-VALUE}.")
  private int idle;

  @Option(
      names = "--replace-every",
      paramLabel = "SECONDS",
      defaultValue = "5",
      description = {
        "Replace an instance in the middle of a transaction, this often, by one with its",
        "transactional id; 0 for never. Default: ${DEFAULT-VALUE}."
      })
  private int replaceEvery;

  @Option(
      names = "--wait",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description = "How long the topics may take to appear. Default: ${DEFAULT-VALUE}.")
  private int appear;

  TransformCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  @Override
  public Integer call() throws Exception {
    checkAtLeast("--instances", instances, 1);
    checkAtLeast("--idle", idle, 1);
    checkAtLeast("--replace-every", replaceEvery, 0);
    checkAtLeast("--wait", appear, 1);
    Plan plan = input.plan(runId, 0, 1);
    TransformHop.Options options =
        new TransformHop.Options(
            instances,
            Duration.ofSeconds(idle),
            Duration.ofSeconds(replaceEvery),
            Duration.ofSeconds(appear));
    try (TransformHop hop = new TransformHop(plan, options)) {
      return new InterruptibleRun(() -> report(hop), hop::stop, out, err, true).execute();
    } catch (BadInputException e) {
      throw new BadInputException(input.located(e.getMessage()), e);
    }
  }

  private int report(TransformHop hop) throws InterruptedException {
    out.println("ready");
    HopCounts counts = hop.execute();
    out.println(counts);
    return counts.zombieCommits() == 0 ? ExitCode.OK : ExitCode.FAILED;
  }

  private void checkAtLeast(String option, int value, int least) {
    if (value < least) {
      String line = "%s %d: must be at least %d".formatted(option, value, least);
      throw new ParameterException(spec.commandLine(), line);
    }
  }
}
