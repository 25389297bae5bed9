// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.PartitionLeader;
import io.tailrace.loadgen.kafka.ProducerTimeouts;
import io.tailrace.loadgen.kafka.TopicAdmin;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.ship.EventPipeline;
import io.tailrace.loadgen.ship.PipelineConfig;
import io.tailrace.loadgen.ship.ShipReport;
import io.tailrace.loadgen.ship.SpanPipeline;
import io.tailrace.loadgen.ship.SpoolUse;
import io.tailrace.loadgen.spool.Spool;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A run whose topics exist: from the first consumer to summary.json. */
final class LoadedRun {
  private static final int BLOCKS_IN_FLIGHT = 4;
  private static final long WINDOW_BYTES = 32L << 20;
  private static final long WINDOW_BYTES_WITHOUT_SPOOL = 256L << 20;
  private static final Duration GROUPS = Duration.ofSeconds(60);
  // A producer that is behind at the end of its last phase still sends what was due, for this long.
  private static final Duration CATCH_UP = Duration.ofSeconds(10);
  private static final Duration MARGIN = Duration.ofSeconds(10);
  private static final Duration SHORT = Duration.ofSeconds(5);
  private static final Duration CONSUMERS_CLOSE = Duration.ofSeconds(15);
  private static final Duration SHIP = Duration.ofSeconds(30);
  private static final Duration LEADERS = Duration.ofSeconds(30);
  // A group's default session timeout of 45 s: so long a killed worker still looks alive.
  private static final Duration OTHERS = Duration.ofSeconds(60);

  private final Plan plan;
  private final RunOptions options;
  private final RunState state;
  private final NanoClock clock;
  private final TopicAdmin admin;
  private final Load load;
  private final EventRecorder events;
  private final EventPipeline pipeline;
  private final SpanPipeline spans;
  private final Timeline timeline;
  private final ProgressLine progress;
  private final Waiter waiter;
  private final Watch watch;
  private final StartTime startTime;
  private long sendingEndsNanoTime = System.nanoTime();

  LoadedRun(
      Plan plan,
      RunOptions options,
      RunState state,
      NanoClock clock,
      TopicAdmin admin,
      Load load,
      Recorders recorders,
      Spool spool) {
    this.plan = plan;
    this.options = options;
    this.state = state;
    this.clock = clock;
    this.admin = admin;
    this.load = load;
    this.events = recorders.events();
    PipelineConfig config =
        new PipelineConfig(
            options.otlpEndpoint(),
            plan.runId(),
            plan.worker(),
            BLOCKS_IN_FLIGHT,
            spool == null ? WINDOW_BYTES_WITHOUT_SPOOL : WINDOW_BYTES,
            load);
    this.pipeline =
        spool == null
            ? EventPipeline.start(config, recorders)
            : EventPipeline.start(config, recorders, new SpoolUse(spool, () -> Ledger.of(load)));
    this.spans = SpanPipeline.start(config, recorders.spans());
    this.timeline = new Timeline(clock, events);
    this.progress = new ProgressLine(options.progress(), load, pipeline, timeline);
    this.watch = new Watch(clock, events);
    this.waiter = new Waiter(state, this::step);
    this.startTime = new StartTime(clock, options.startAt());
  }

  /** Runs and puts away. What goes wrong is told by the run's state. */
  void run() {
    boolean drained = false;
    try {
      watch(admin.awaitLeaders(startTime.atMost(LEADERS)));
      if (startClients()) {
        drained = offerLoad();
      }
    } catch (InterruptedException e) {
      state.interrupt();
    } catch (RuntimeException e) {
      state.fail("run", e);
    }
    if (state.ending()) {
      drained = windUp();
    }
    timeline.end();
    state.seal();
    putAway(drained);
  }

  private void step() {
    if (timeline.advance()) {
      pipeline.resetLatency();
    }
    if (pipeline.died()) {
      state.fail("encoder: it has ended, and what is recorded from now on would be lost");
    }
    progress.maybe();
  }

  private void watch(List<PartitionLeader> leaders) {
    watch.clock();
    if (plan.worker() == 0) { // for all workers
      watch.leaders(admin, leaders);
    }
  }

  private boolean startClients() {
    load.startConsumers();
    if (!waiter.await(startTime.atMost(GROUPS), load::consumersReady)) {
      load.groups().stream()
          .filter(group -> !state.ending() && !group.ready())
          .findFirst()
          .ifPresent(
              group ->
                  state.fail(
                      "consumer group "
                          + group.id()
                          + ": not all partitions were assigned "
                          + startTime.tooLate(GROUPS)));
      return false;
    }
    load.connectProducers();
    Duration usual = timeouts().send().plus(MARGIN);
    if (!waiter.await(startTime.atMost(usual), load::producersConnected)) {
      if (!state.ending()) {
        state.fail("producers: not all were connected " + startTime.tooLate(usual));
      }
      return false;
    }
    return true;
  }

  /** Offers the load of all phases, then waits for the consumers. */
  private boolean offerLoad() {
    long start = startTime.nanoTime();
    Duration phases =
        plan.phases().stream().map(Plan.PhasePlan::duration).reduce(Duration.ZERO, Duration::plus);
    Duration sending = phases.plus(CATCH_UP);
    timeline.plan(plan.phases(), start, plan.drainTimeout());
    sendingEndsNanoTime = start + sending.toNanos();
    load.begin(start, sendingEndsNanoTime);
    Duration atMost =
        Duration.ofNanos(sendingEndsNanoTime - clock.nanoTime())
            .plus(timeouts().send())
            .plus(timeouts().delivery())
            .plus(MARGIN);
    if (!waiter.await(atMost, load::producersEnded)) {
      if (!state.ending()) {
        failLate("producers: not all had ended", atMost);
      }
      return false;
    }
    timeline.advance();
    return waiter.await(plan.drainTimeout(), load::drained);
  }

  private void failLate(String what, Duration after) {
    state.fail(what + " after " + after.toSeconds() + " s");
  }

  /**
   * Ends an interrupted or failed run early: what was sent gets an outcome, what was acknowledged a
   * short drain.
   */
  private boolean windUp() {
    load.stopProducers();
    if (!waiter.awaitToTheEnd(SHORT, load::producersEnded)) {
      load.abortProducers();
      waiter.awaitToTheEnd(SHORT, load::producersEnded);
    }
    if (timeline.begun() && !timeline.current().equals(Timeline.DRAIN)) {
      timeline.drain(SHORT);
    }
    return waiter.awaitToTheEnd(SHORT, load::drained);
  }

  private void putAway(boolean drained) {
    load.stopConsumers();
    if (!waiter.awaitToTheEnd(CONSUMERS_CLOSE, load::consumersEnded)) {
      failLate("consumers: not all had ended", CONSUMERS_CLOSE);
    }
    finishSpans();
    awaitOthers();
    watch.close();
    deleteTopics().ifPresent(why -> warn("topics_not_deleted", why));
    if (load.unsent() > 0) {
      warn(
          "unsent",
          load.unsent()
              + " messages were due and not sent: their producers were still behind at the end");
    }
    if (load.foreign() > 0) {
      warn("foreign", load.foreign() + " messages received were not written by this run");
    }
    if (!drained && state.exitCode() == 0) {
      warn("not_drained", load.backlog() + " messages acknowledged were not received in time");
    }
    state
        .failure()
        .ifPresent(line -> events.event(clock.epochMicros(), "error", "run_failed", line));
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
    writeSummary(drained, report);
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

  /** Worker 0 made the topics and deletes them, but not under the others' feet. */
  private void awaitOthers() {
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
      return admin.delete();
    } catch (InterruptedException e) {
      return Optional.of("topics may not have been deleted: the wait for it was interrupted");
    }
  }

  private void warn(String name, String line) {
    events.event(clock.epochMicros(), "error", name, line);
    options.progress().println("warning: " + line);
  }

  private void writeSummary(boolean drained, ShipReport report) {
    if (options.summaryFile() == null) {
      return;
    }
    try {
      new Summary(
              plan.runId(),
              plan.worker(),
              state.exit(),
              state.failure().orElse(null),
              load.sent(),
              load.acked(),
              load.failed(),
              load.received(),
              load.expectedReceived(),
              drained,
              load.unsent(),
              load.foreign(),
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

  private ProducerTimeouts timeouts() {
    return ProducerTimeouts.of(plan.producerConfig());
  }
}
