// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import io.tailrace.loadgen.contract.ExitCode;
import io.tailrace.loadgen.kafka.BadInputException;
import io.tailrace.loadgen.ship.Replay;
import io.tailrace.loadgen.ship.ReplayReport;
import io.tailrace.loadgen.spool.SpoolException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Ships the blocks that an earlier run left in its spool. */
@Command(
    name = "ship",
    description =
        "Ship the blocks that an earlier run left in its spool, with one progress line a second.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    footer = {
      "",
      "It can be stopped at any time and started again: no block is stored twice.",
      "Exit status: 0 all stored, 1 not all (the last line states the losses, their reasons and",
      "the rows that remain), 2 bad input, 130 interrupted.",
      "",
      "Examples:",
      "  ship --spool runs/demo-1/spool --otlp-endpoint http://127.0.0.1:4318",
    })
final class ShipCommand implements Callable<Integer> {
  private final PrintStream out;

  @Mixin private OtlpEndpoint otlpEndpoint;

  @Option(
      names = "--spool",
      required = true,
      paramLabel = "DIR",
      description = "The spool; it is deleted when all its blocks are settled.")
  private Path spool;

  @Option(
      names = "--patience",
      paramLabel = "SECONDS",
      defaultValue = "60",
      description =
          "Give up after this time without a stored or refused block. Default: ${DEFAULT-VALUE}.")
  private int patience;

  @Option(names = "--verbose", description = "Show the stack trace of an unexpected error.")
  private boolean verbose;

  ShipCommand(PrintStream out) {
    this.out = out;
  }

  @Override
  public Integer call() throws Exception {
    URI endpoint = otlpEndpoint.checked();
    ReplayReport report;
    try {
      report = Replay.run(spool, endpoint, Duration.ofSeconds(patience), out);
    } catch (SpoolException e) {
      throw new BadInputException("--spool: " + e.getMessage(), e);
    }
    out.println(line(report));
    return report.allStored() ? ExitCode.OK : ExitCode.FAILED;
  }

  private String line(ReplayReport report) {
    StringBuilder line =
        new StringBuilder(report.runId() + ": " + report.stored() + " rows stored");
    report
        .lost()
        .forEach((reason, rows) -> line.append(", ").append(rows).append(" lost: ").append(reason));
    if (report.killed()) {
      line.append(" (and rows recorded after its last checkpoint, which are in no count)");
    }
    if (report.damage().unreadableBytes() > 0) {
      line.append(", ")
          .append(report.damage().unreadableBytes())
          .append(" bytes could not be read");
    }
    report
        .damage()
        .folder()
        .ifPresent(kept -> line.append("; damaged segments are kept in ").append(kept));
    if (report.remaining() > 0 || !report.ledgerStored()) {
      line.append(", ").append(report.remaining()).append(" rows");
      line.append(report.ledgerStored() ? "" : " and the ledger")
          .append(" still in ")
          .append(spool);
      line.append("; is the collector up?");
    }
    return line.toString();
  }
}
