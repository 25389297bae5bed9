// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.kafka.ReceivedCounts;
import io.tailrace.loadgen.kafka.RunTopics;
import io.tailrace.loadgen.record.LedgerEntry;
import io.tailrace.loadgen.run.RunResources.Pipelines;
import io.tailrace.loadgen.ship.ShipReport;
import io.tailrace.loadgen.ship.SpanPipeline;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is left to do after the last message, or after a run was cut short. */
record RunFinish(
    RunContext run,
    RunTopics topics,
    Pipelines pipelines,
    ClockAndLeaderWatch watch,
    RunLogs logs) {
  private static final Duration CONSUMERS_CLOSE = Duration.ofSeconds(15);
  private static final Duration SHIP = Duration.ofSeconds(30);
  // A killed worker looks alive to the brokers for a group's default session timeout of 45 s.
  private static final Duration OTHERS = Duration.ofSeconds(60);

  /** Closes consumers, deletes topics, ships what is recorded, writes the summary. */
  void finish(boolean drained, PhaseSequence phases) {
    closeConsumers();
    finishSpans();
    finishAgreement();
    awaitOthers(phases.sendingEndsNanoTime());
    watch.close();
    List<LedgerEntry> ledger = readAgain();
    deleteTopics().ifPresent(why -> run.reporter().warn("topics_not_deleted", why));
    warnOfCounts(drained);
    run.state()
        .failure()
        .ifPresent(line -> run.reporter().event(EventKinds.ERROR, run.state().eventName(), line));
    ledger.addAll(LoadLedger.of(run.load()));
    ShipReport report = pipelines.events().finish(ledger, SHIP);
    reportUnstored(report);
    writeSummary(drained, phases, report);
  }

  private void closeConsumers() {
    run.load().stopConsumers();
    if (!run.waits().awaitDespiteEnd(CONSUMERS_CLOSE, run.load()::consumersEnded)) {
      run.state().fail("consumers: not all had ended after " + CONSUMERS_CLOSE.toSeconds() + " s");
    }
  }

  private void finishSpans() {
    SpanPipeline.Report report = pipelines.spans().finish();
    if (report.recorded() == 0) {
      return;
    }
    run.reporter()
        .event(
            EventKinds.TRACES,
            "spans",
            "{\"recorded\":%d,\"stored\":%d,\"lost\":%d}",
            report.recorded(),
            report.stored(),
            report.lost());
    if (report.lost() > 0) {
      run.reporter()
          .warn("spans_lost", "%d spans were not stored: %s", report.lost(), report.reason());
    }
  }

  /** Without its leader a worker ends after its phase: what it has is kept, and the run failed. */
  private void finishAgreement() {
    run.agreement().finish();
    run.agreement()
        .leaderLost()
        .ifPresent(
            line -> {
              run.reporter().event(EventKinds.ERROR, "leader_lost", line);
              run.state().fail(line);
            });
  }

  /** The leader created the topics and deletes them when no other worker needs them any more. */
  private void awaitOthers(long sendingEndsNanoTime) {
    if (!run.isLeader() || run.isLoneWorker()) {
      return;
    }
    Duration sending = Duration.ofNanos(Math.max(0, sendingEndsNanoTime - run.clock().nanoTime()));
    Duration atMost =
        run.state().interrupted() ? OTHERS : sending.plus(run.plan().drainTimeout()).plus(OTHERS);
    if (!run.waits().awaitDespiteEnd(atMost, new RemainingWorkers(run)::gone)) {
      run.reporter()
          .warn(
              "workers_still_there",
              "other workers had not finished after %d s; the topics are deleted all the same",
              atMost.toSeconds());
    }
  }

  /** Records where the logs end and reads them again, for all workers; the counts of that. */
  private List<LedgerEntry> readAgain() {
    boolean reads =
        run.isLeader() && logs.recordEnd() && run.plan().behaviour().reread().isPresent();
    return new ArrayList<>(reads ? LoadLedger.of(new Reread(run, logs).read()) : List.of());
  }

  private Optional<String> deleteTopics() {
    try {
      run.admin().shareGroups().forget();
      return topics.delete();
    } catch (InterruptedException e) {
      return Optional.of("topics may not have been deleted: the wait for it was interrupted");
    }
  }

  private void warnOfCounts(boolean drained) {
    run.load()
        .unsent()
        .forEach(
            (reason, unsent) ->
                run.reporter()
                    .warn(
                        "unsent",
                        "%d messages (%s) intended from %s to %s were not sent: their producers were still"
                            + " behind at the end",
                        unsent.count(),
                        reason,
                        time(unsent.firstMicros()),
                        time(unsent.lastMicros())));
    ReceivedCounts received = run.load().counted();
    warnIfAny(
        "foreign", received.foreign().count(), "messages received were written by other programs");
    warnIfAny(
        "other_run", received.otherRuns().count(), "messages received were written by other runs");
    warnIfAny(
        "aborted",
        run.load().aborted().count(),
        "messages acknowledged were in aborted transactions");
    warnIfAny(
        "in_doubt",
        run.load().inDoubt().count(),
        "messages acknowledged were in transactions in doubt: the broker confirmed neither commit nor"
            + " abort");
    warnIfAny(
        "redelivered",
        received.redelivered().count(),
        "messages were handed out again by a share group");
    if (!drained && run.state().exitCode() == 0) {
      run.reporter()
          .warn(
              "not_drained",
              "%d messages acknowledged were not received in time",
              run.load().backlog());
    }
  }

  private void warnIfAny(String name, long messages, String what) {
    if (messages > 0) {
      run.reporter().warn(name, "%d %s", messages, what);
    }
  }

  private void reportUnstored(ShipReport report) {
    if (!report.ledgerCommitted()) {
      run.state()
          .fail(
              "collector at %s: the ledger was not stored within %d s%s"
                  .formatted(
                      run.options().otlpEndpoint(),
                      SHIP.toSeconds(),
                      run.options().files().spool() == null ? "" : spooled(report)));
    } else if (report.spooled() > 0) {
      run.reporter().print("warning: not all rows were stored in time" + spooled(report));
    }
  }

  private String spooled(ShipReport report) {
    Path spool = run.options().files().spool();
    return String.format("; %d rows wait in %s: tailrace ship %s", report.spooled(), spool, spool);
  }

  private static Instant time(long epochMicros) {
    return Instant.EPOCH.plus(epochMicros, ChronoUnit.MICROS);
  }

  private void writeSummary(boolean drained, PhaseSequence phases, ShipReport report) {
    Path file = run.options().files().summary();
    if (file == null) {
      return;
    }
    try {
      SummaryFile.write(file, run, drained, phases.missedGoals(), report);
    } catch (IOException e) {
      run.state().fail("summary " + file, e);
    }
  }
}
