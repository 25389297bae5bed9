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

  @Option(
      names = "--default-bootstrap-servers",
      paramLabel = "HOST:PORT,...",
      description = "Where the cluster is when neither driver file nor option says it.")
  private String defaultBootstrapServers;

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
    assignment(runId, worker, workers, bootstrapServers);
    ClientConfigNames names = new KafkaConfigNames();
    Problems problems = new Problems();
    Optional<Workload> workload = WorkloadReader.read(workloadFile, problems);
    Optional<Driver> driver = DriverReader.read(driverFile, serversGiven(), names, problems);
    problems.throwIfAny();
    boolean named = driver.orElseThrow().commonConfig().containsKey(Driver.BOOTSTRAP_SERVERS);
    String servers =
        bootstrapServers == null && !named ? defaultBootstrapServers : bootstrapServers;
    Assignment assignment = assignment(runId, worker, workers, servers);
    Plan plan = Planner.plan(workload.orElseThrow(), driver.orElseThrow(), assignment, names);
    return new Planned(plan, workload.orElseThrow());
  }

  private boolean serversGiven() {
    return bootstrapServers != null || defaultBootstrapServers != null;
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

  private Assignment assignment(String runId, int worker, int workers, String servers) {
    OptionalLong seedOverride = seed == null ? OptionalLong.empty() : OptionalLong.of(seed);
    try {
      return new Assignment(runId, worker, workers, seedOverride, Optional.ofNullable(servers));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), e.getMessage(), e);
    }
  }
}
