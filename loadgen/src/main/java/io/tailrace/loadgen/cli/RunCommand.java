// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import io.tailrace.loadgen.kafka.BadInputException;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.run.Run;
import io.tailrace.loadgen.run.RunOptions;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs one worker's part of a benchmark. */
@Command(
    name = "run",
    description = "Run a benchmark, with one progress line a second.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "Exit status: 0 completed, 1 failed during the run, 2 bad input, 130 interrupted.",
      "",
      "Examples:",
      "  run --workload workloads/demo.yaml --driver workloads/drivers/kafka.yaml \\",
      "      --bootstrap-servers localhost:9092 --run-id demo-1 \\",
      "      --otlp-endpoint http://127.0.0.1:4318 --summary summary.json",
      "  run … --worker 1/4 --start-at 2026-01-31T12:00:00Z \\",
      "      --agreement-url https://10.0.0.5:9300 --agreement-token-file run.token",
    })
final class RunCommand implements Callable<Integer> {
  private final PrintStream out;
  private final PrintStream err;

  @Spec private CommandSpec spec;
  @Mixin private InputOptions input;
  @Mixin private AgreementOptions agreement;
  @Mixin private OtlpEndpoint otlpEndpoint;

  @Option(
      names = "--run-id",
      required = true,
      paramLabel = "ID",
      description = "Name of the run: a letter or digit, then up to 127 of A-Z a-z 0-9 . _ -")
  private String runId;

  @Option(
      names = "--summary",
      paramLabel = "FILE",
      description = "Write the run's counts to this file as JSON when the run ends.")
  private Path summaryFile;

  @Option(
      names = "--spool",
      paramLabel = "DIR",
      description = {
        "Keep blocks here until they are stored; ship sends those that a run leaves.",
        "Default: no spool; blocks that do not fit in memory are lost."
      })
  private Path spool;

  @Option(
      names = "--spool-limit",
      paramLabel = "SIZE",
      defaultValue = "10GiB",
      description = "Maximum size of the spool; 2 GiB of its drive stay free. Default: 10GiB.")
  private String spoolLimit;

  @Option(
      names = "--worker",
      paramLabel = "I/N",
      defaultValue = "0/1",
      description = {
        "Number of this worker, from 0, and number of workers that share the run.",
        "Default: ${DEFAULT-VALUE}."
      })
  private String worker;

  @Option(
      names = "--start-at",
      paramLabel = "TIME",
      description = {
        "Start of the first phase, in UTC like 2026-01-31T12:00:00Z; the same for all workers.",
        "Default: as soon as the worker is ready."
      })
  private Instant startAt;

  @Option(
      names = "--host-clock",
      paramLabel = "JSON",
      defaultValue = "",
      description = "State and error of this host's clock; stored with the run.")
  private String hostClock;

  @Option(
      names = "--topic-note",
      paramLabel = "FILE",
      description = "Name the run's topics here while they exist, for a later run to delete.")
  private Path topicNote;

  @Option(
      names = "--topics-left",
      paramLabel = "FILE",
      description = "Topic note of an earlier run, whose topics are deleted first; repeatable.")
  private List<Path> topicsLeft = List.of();

  @Option(
      names = "--unrecorded",
      hidden = true,
      description = "Record no message, to measure the cost of recording.")
  private boolean unrecorded;

  RunCommand(PrintStream out, PrintStream err) {
    this.out = out;
    this.err = err;
  }

  @Override
  public Integer call() throws Exception {
    URI endpoint = otlpEndpoint.checked();
    checkSummaryFile();
    long spoolBytes =
        ByteSize.parse(spoolLimit)
            .orElseThrow(
                () -> refused("--spool-limit: not a size such as 10GiB or 512MiB: " + spoolLimit));
    WorkerNumber number =
        WorkerNumber.parse(worker)
            .orElseThrow(() -> refused("--worker: not like 0/4, worker 0 of 4: " + worker));
    checkStart(number);
    Plan plan = input.plan(runId, number.worker(), number.workers());
    RunOptions options =
        new RunOptions(
            endpoint,
            out,
            new RunOptions.LocalFiles(summaryFile, spool, spoolBytes, topicNote, topicsLeft),
            new RunOptions.HostTime(startAt, hostClock),
            !unrecorded,
            agreement.endpoint(number));
    Run run = new Run(plan, options);
    return new InterruptibleRun(() -> exitCode(run), run::stop, out, err).execute();
  }

  private void checkStart(WorkerNumber number) {
    if (startAt == null && number.workers() > 1) {
      throw refused("--worker " + worker + ": give all workers one --start-at");
    }
    if (startAt != null && !startAt.isAfter(Instant.now())) {
      throw refused("--start-at " + startAt + ": is in the past; give a future time");
    }
  }

  private int exitCode(Run run) throws InterruptedException {
    try {
      return run.execute();
    } catch (BadInputException e) {
      throw new BadInputException(input.located(e.getMessage()));
    }
  }

  /** Fails early: otherwise an unwritable summary would be noticed only after the whole run. */
  private void checkSummaryFile() {
    if (summaryFile != null && !Files.isDirectory(summaryFile.toAbsolutePath().getParent())) {
      throw refused(
          "--summary: no folder " + summaryFile.toAbsolutePath().getParent() + "; create it");
    }
  }

  private ParameterException refused(String line) {
    return new ParameterException(spec.commandLine(), line);
  }
}
