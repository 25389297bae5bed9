// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import io.tailrace.loadgen.kafka.KafkaConfigNames;
import io.tailrace.loadgen.plan.Assignment;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.plan.Planner;
import io.tailrace.loadgen.workload.ClientConfigNames;
import io.tailrace.loadgen.workload.Driver;
import io.tailrace.loadgen.workload.DriverReader;
import io.tailrace.loadgen.workload.Problems;
import io.tailrace.loadgen.workload.Workload;
import io.tailrace.loadgen.workload.WorkloadReader;
import java.nio.file.Path;
import java.util.Optional;
import java.util.OptionalLong;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options that every command takes, and what they come to. */
final class InputOptions {
  /** A plan with the workload it was made from. */
  record Planned(Plan plan, Workload workload) {}

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--workload",
      required = true,
      paramLabel = "FILE",
      description = "Workload YAML, in OMB's format or ours.")
  private Path workloadFile;

  @Option(
      names = "--driver",
      required = true,
      paramLabel = "FILE",
      description = "Driver YAML, in OMB's format.")
  private Path driverFile;

  @Option(
      names = "--bootstrap-servers",
      paramLabel = "HOST:PORT,...",
      description = "Where the cluster is, over the driver file's bootstrap.servers.")
  private String bootstrapServers;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Seed of everything random, over the workload file's.")
  private Long seed;

  @Option(names = "--verbose", description = "Show the stack trace of an unexpected error.")
  private boolean verbose;

  boolean verbose() {
    return verbose;
  }

  /**
   * Reads both files and plans.
   *
   * @throws ParameterException when the assignment is outside its range
   * @throws io.tailrace.loadgen.workload.InvalidInputException with all that is wrong with the
   *     files
   */
  Planned plan(String runId, int worker, int workers) {
    Assignment assignment = assignment(runId, worker, workers);
    ClientConfigNames names = new KafkaConfigNames();
    Problems problems = new Problems();
    Optional<Workload> workload = WorkloadReader.read(workloadFile, problems);
    Optional<Driver> driver =
        DriverReader.read(driverFile, bootstrapServers != null, names, problems);
    problems.throwIfAny();
    Plan plan = Planner.plan(workload.orElseThrow(), driver.orElseThrow(), assignment, names);
    return new Planned(plan, workload.orElseThrow());
  }

  /**
   * Says where a value that the cluster refused was given: in the option, else in the driver file.
   *
   * @param line what is wrong, starting with the driver's key
   */
  String located(String line) {
    String servers = "bootstrap.servers: ";
    if (!line.startsWith(servers)) {
      return driverFile + ": " + line;
    }
    return bootstrapServers != null
        ? "--bootstrap-servers: " + line.substring(servers.length())
        : driverFile + ": commonConfig." + line;
  }

  private Assignment assignment(String runId, int worker, int workers) {
    OptionalLong seedOverride = seed == null ? OptionalLong.empty() : OptionalLong.of(seed);
    try {
      return new Assignment(
          runId, worker, workers, seedOverride, Optional.ofNullable(bootstrapServers));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), e.getMessage(), e);
    }
  }
}
