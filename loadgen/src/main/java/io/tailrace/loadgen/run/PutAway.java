// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.Received;
import io.tailrace.loadgen.kafka.RunTopics;
import io.tailrace.loadgen.kafka.Tally;
import io.tailrace.loadgen.kafka.TopicAdmin;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.ship.EventPipeline;
import io.tailrace.loadgen.ship.ShipReport;
import io.tailrace.loadgen.ship.SpanPipeline;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** What is left to do when the last message has come, or the run was cut short. */
final class PutAway {
  private static final Duration CONSUMERS_CLOSE = Duration.ofSeconds(15);
  private static final Duration SHIP = Duration.ofSeconds(30);
  // A group's default session timeout of 45 s: so long a killed worker still looks alive.
  private static final Duration OTHERS = Duration.ofSeconds(60);

  private final Plan plan;
  private final RunOptions options;
  private final RunState state;
  private final NanoClock clock;
  private final TopicAdmin admin;
  private final RunTopics topics;
  private final Load load;
  private final EventRecorder events;
  private final EventPipeline pipeline;
  private final SpanPipeline spans;
  private final Watch watch;
  private final Timeline timeline;
  private final Waiter waiter;

  PutAway(
      Plan plan,
      RunOptions options,
      RunState state,
      NanoClock clock,
      TopicAdmin admin,
      RunTopics topics,
      Load load,
      EventRecorder events,
      Pipelines pipelines,
      Watch watch,
      Timeline timeline,
      Waiter waiter) {
    this.plan = plan;
    this.options = options;
    this.state = state;
    this.clock = clock;
    this.admin = admin;
    this.topics = topics;
    this.load = load;
    this.events = events;
    this.pipeline = pipelines.events();
    this.spans = pipelines.spans();
    this.watch = watch;
    this.timeline = timeline;
    this.waiter = waiter;
  }

  /**
   * Closes consumers, deletes topics, ships what is recorded, writes the summary.
   *
   * @param drained whether every group has received everything
   * @param verdicts phases that ended at their limit, a line each
   * @param sendingEndsNanoTime when the last worker stops sending at the latest
   */
  void all(boolean drained, List<String> verdicts, long sendingEndsNanoTime) {
    load.stopConsumers();
    if (!waiter.awaitToTheEnd(CONSUMERS_CLOSE, load::consumersEnded)) {
      state.fail("consumers: not all had ended after " + CONSUMERS_CLOSE.toSeconds() + " s");
    }
    finishSpans();
    awaitOthers(sendingEndsNanoTime);
    watch.close();
    deleteTopics().ifPresent(why -> warn("topics_not_deleted", why));
    warnOfCounts(drained);
    state
        .failure()
        .ifPresent(line -> events.event(clock.epochMicros(), "error", state.eventName(), line));
    ShipReport report = pipeline.finish(Ledger.of(load), SHIP);
    if (!report.ledgerCommitted()) {
      state.fail(
          "collector at "
              + options.otlpEndpoint()
              + ": the ledger was not stored within "
              + SHIP.toSeconds()
              + " s"
              + (options.spoolFolder() == null ? "" : kept(report)));
    } else if (report.spooled() > 0) {
      options.progress().println("warning: not all rows were stored in time" + kept(report));
    }
    writeSummary(drained, verdicts, report);
  }

  private void finishSpans() {
    SpanPipeline.Report report = spans.finish();
    if (report.recorded() == 0) {
      return;
    }
    events.event(
        clock.epochMicros(),
        "traces",
        "spans",
        String.format(
            "{\"recorded\":%d,\"stored\":%d,\"lost\":%d}",
            report.recorded(), report.stored(), report.lost()));
    if (report.lost() > 0) {
      warn("spans_lost", report.lost() + " spans were not stored: " + report.reason());
    }
  }

  private void warnOfCounts(boolean drained) {
    load.unsent()
        .forEach(
            (reason, tally) ->
                warn(
                    "unsent",
                    String.format(
                        "%d messages (%s) due from %s to %s were not sent: their producers were"
                            + " still behind at the end",
                        tally.count(),
                        reason,
                        time(tally.firstMicros()),
                        time(tally.lastMicros()))));
    Received received = load.counted();
    if (received.foreign().count() > 0) {
      warn(
          "foreign",
          received.foreign().count() + " messages received were not written by this run");
    }
    if (load.aborted().count() > 0) {
      warn(
          "aborted",
          load.aborted().count()
              + " messages acknowledged were in transactions that did not commit");
    }
    if (received.redelivered().count() > 0) {
      warn(
          "redelivered",
          received.redelivered().count() + " messages were handed out again by a share group");
    }
    if (!drained && state.exitCode() == 0) {
      warn("not_drained", load.backlog() + " messages acknowledged were not received in time");
    }
  }

  /** Worker 0 made the topics and deletes them, but not under the others' feet. */
  private void awaitOthers(long sendingEndsNanoTime) {
    if (plan.worker() > 0 || plan.workers() == 1) {
      return;
    }
    Duration sending = Duration.ofNanos(Math.max(0, sendingEndsNanoTime - clock.nanoTime()));
    Duration atMost = state.interrupted() ? OTHERS : sending.plus(plan.drainTimeout()).plus(OTHERS);
    OtherWorkers others = new OtherWorkers(plan, admin.groups());
    if (!waiter.awaitToTheEnd(atMost, others::gone)) {
      warn(
          "workers_still_there",
          "consumers of other workers were still there after "
              + atMost.toSeconds()
              + " s; the topics are deleted all the same");
    }
  }

  private String kept(ShipReport report) {
    return String.format(
        "; %d rows wait in %s: tailrace ship %s",
        report.spooled(), options.spoolFolder(), options.spoolFolder());
  }

  private Optional<String> deleteTopics() {
    try {
      admin.shareGroups().forget();
      return topics.delete();
    } catch (InterruptedException e) {
      return Optional.of("topics may not have been deleted: the wait for it was interrupted");
    }
  }

  private static Instant time(long epochMicros) {
    return Instant.EPOCH.plus(epochMicros, ChronoUnit.MICROS);
  }

  private void warn(String name, String line) {
    events.event(clock.epochMicros(), "error", name, line);
    options.progress().println("warning: " + line);
  }

  private void writeSummary(boolean drained, List<String> verdicts, ShipReport report) {
    if (options.summaryFile() == null) {
      return;
    }
    Received received = load.counted();
    try {
      new Summary(
              plan.runId(),
              plan.worker(),
              state.exit(),
              state.failure().orElse(null),
              load.sent(),
              load.acked(),
              load.failed(),
              load.aborted().count(),
              received.messages().count(),
              received.redelivered().count(),
              load.expectedReceived(),
              drained,
              load.unsent().values().stream().mapToLong(Tally::count).sum(),
              received.foreign().count(),
              verdicts,
              report.streams(),
              report.unshipped(),
              timeline.phases().stream()
                  .map(
                      phase ->
                          new Summary.Phase(phase.name(), phase.startMicros(), phase.endMicros()))
                  .toList())
          .write(options.summaryFile());
    } catch (IOException e) {
      state.fail("summary " + options.summaryFile(), e);
    }
  }
}
