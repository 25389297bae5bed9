// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import io.tailrace.loadgen.contract.ExitCode;
import io.tailrace.loadgen.plan.PlanReport;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Shows what a run would do, without connecting to anything. */
@Command(
    name = "plan",
    description = "Check the files and show what a run would do, as JSON. Connects to nothing.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "Examples:",
      "  plan --workload workloads/demo.yaml --driver workloads/drivers/kafka.yaml \\",
      "       --bootstrap-servers localhost:9092",
    })
final class PlanCommand implements Callable<Integer> {
  /** Placeholder for the run id, valid in the names that contain it. */
  private static final String RUN_ID_PLACEHOLDER = "RUN_ID";

  @Spec private CommandSpec spec;
  @Mixin private InputOptions input;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "1",
      description = "Number of workers that will share the run. Default: 1.")
  private int workers;

  @Override
  public Integer call() {
    String report = PlanReport.json(input.plans(RUN_ID_PLACEHOLDER, 0, workers));
    spec.commandLine().getOut().println(report);
    return ExitCode.OK;
  }
}
