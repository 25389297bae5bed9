// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import io.tailrace.loadgen.kafka.KafkaConfigNames;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.plan.PlanParameters;
import io.tailrace.loadgen.plan.PlanReport;
import io.tailrace.loadgen.plan.Planner;
import io.tailrace.loadgen.workload.Campaign;
import io.tailrace.loadgen.workload.ClientConfig;
import io.tailrace.loadgen.workload.Dialect;
import io.tailrace.loadgen.workload.Driver;
import io.tailrace.loadgen.workload.Problems;
import io.tailrace.loadgen.workload.Vary.DriverChanges;
import io.tailrace.loadgen.workload.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.IntStream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options for workload and driver, which plan and run share, and the plans made from them. */
final class InputOptions {
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
      description = "Brokers; overrides the driver file's bootstrap.servers.")
  private String bootstrapServers;

  @Option(
      names = "--seed",
      paramLabel = "N",
      description = "Random seed; overrides the workload file's seed.")
  private Long seed;

  @Option(
      names = "--default-bootstrap-servers",
      paramLabel = "HOST:PORT,...",
      description = "Brokers if neither the driver file nor --bootstrap-servers names them.")
  private String defaultBootstrapServers;

  @Option(
      names = "--point",
      paramLabel = "K",
      description = "The point to run of a workload with vary, from 0.")
  private Integer point;

  @Option(
      names = "--dialect",
      paramLabel = "NAME",
      converter = DialectConverter.class,
      description =
          "Format of the workload file if the file does not state it: omb, redpanda, vanlightly,"
              + " automq or tailrace. Default: detected.")
  private Dialect dialect;

  @Option(names = "--verbose", description = "Show the stack trace of an unexpected error.")
  private boolean verbose;

  /** Reads both files and plans the chosen point. */
  Plan plan(String runId, int worker, int workers) {
    List<PlanReport.Point> all = plans(runId, worker, workers);
    if (all.size() > 1) {
      String what = workloadFile + " varies " + all.size() + " points";
      throw new ParameterException(command.commandLine(), what + "; choose one with --point K");
    }
    return all.get(0).plan();
  }

  /** Plans the chosen point or, without {@code --point}, all points of a workload with vary. */
  List<PlanReport.Point> plans(String runId, int worker, int workers) {
    parameters(runId, worker, workers, bootstrapServers);
    ClientConfig.Names names = new KafkaConfigNames();
    Problems problems = new Problems();
    Campaign campaign = Campaign.read(workloadFile, problems).orElse(null);
    List<Integer> points = points(campaign);
    List<Optional<Driver>> drivers = new ArrayList<>();
    List<Workload> workloads = new ArrayList<>();
    for (int each : points) {
      DriverChanges changes = campaign == null ? DriverChanges.NONE : campaign.driverChanges(each);
      if (campaign != null) {
        Dialect.Hint hint = Dialect.Hint.of(dialect, driverFile);
        workloads.add(campaign.workload(each, hint, problems));
      }
      drivers.add(Driver.read(driverFile, changes, serversGiven(), names, problems));
    }
    for (int i = 0; i < workloads.size(); i++) {
      int each = points.get(i);
      Workload workload = workloads.get(i);
      drivers
          .get(i)
          .ifPresent(driver -> campaign.checkDriver(each, workload, driver, names, problems));
    }
    problems.throwIfAny();
    List<PlanReport.Point> planned = new ArrayList<>();
    for (int i = 0; i < points.size(); i++) {
      Driver driver = drivers.get(i).orElseThrow();
      PlanParameters parameters = parameters(runId, worker, workers, servers(driver));
      Plan plan = Planner.plan(workloads.get(i), driver, parameters, names);
      Map<String, String> values = campaign.values(points.get(i));
      planned.add(new PlanReport.Point(plan, workloads.get(i), values, driver.notes()));
    }
    return planned;
  }

  private List<Integer> points(Campaign campaign) {
    int size = campaign == null ? 1 : campaign.size();
    if (point == null) {
      return IntStream.range(0, size).boxed().toList();
    }
    if (campaign != null && (point < 0 || point >= size)) {
      String range = size == 1 ? "only 0" : "0 to " + (size - 1);
      String what = "--point " + point + ": " + workloadFile + " has points " + range;
      throw new ParameterException(command.commandLine(), what);
    }
    return List.of(campaign == null ? 0 : point);
  }

  private String servers(Driver driver) {
    boolean named = driver.commonConfig().containsKey(Driver.BOOTSTRAP_SERVERS);
    return bootstrapServers == null && !named ? defaultBootstrapServers : bootstrapServers;
  }

  private boolean serversGiven() {
    return bootstrapServers != null || defaultBootstrapServers != null;
  }

  /** Puts before a problem, which starts with the driver's key, the option or file that set it. */
  String located(String line) {
    String servers = "bootstrap.servers: ";
    if (line.startsWith("--")) {
      return line;
    }
    if (!line.startsWith(servers)) {
      return driverFile + ": " + line;
    }
    return bootstrapServers != null
        ? "--bootstrap-servers: " + line.substring(servers.length())
        : driverFile + ": commonConfig." + line;
  }

  private PlanParameters parameters(String runId, int worker, int workers, String servers) {
    OptionalLong seedOverride = seed == null ? OptionalLong.empty() : OptionalLong.of(seed);
    try {
      return new PlanParameters(runId, worker, workers, seedOverride, Optional.ofNullable(servers));
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), e.getMessage(), e);
    }
  }
}
