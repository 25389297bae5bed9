// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.PartitionLeader;
import io.tailrace.loadgen.kafka.ProducerTimeouts;
import io.tailrace.loadgen.kafka.TopicAdmin;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.PhasePlan;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.ship.EventPipeline;
import io.tailrace.loadgen.ship.PipelineConfig;
import io.tailrace.loadgen.ship.ShipReport;
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
  private static final Duration START_LEAD = Duration.ofMillis(500);
  // A producer that is behind at the end of its last phase still sends what was due, for this long.
  private static final Duration CATCH_UP = Duration.ofSeconds(10);
  private static final Duration MARGIN = Duration.ofSeconds(10);
  private static final Duration SHORT = Duration.ofSeconds(5);
  private static final Duration CONSUMERS_CLOSE = Duration.ofSeconds(15);
  private static final Duration SHIP = Duration.ofSeconds(30);

  private final Plan plan;
  private final RunOptions options;
  private final RunState state;
  private final NanoClock clock;
  private final TopicAdmin admin;
  private final Load load;
  private final EventRecorder events;
  private final EventPipeline pipeline;
  private final Timeline timeline;
  private final ProgressLine progress;
  private final Waiter waiter;

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
    this.timeline = new Timeline(clock, events);
    this.progress = new ProgressLine(options.progress(), load, pipeline, timeline);
    this.waiter = new Waiter(state, this::step);
  }

  /** Runs and puts away. What goes wrong is told by the run's state. */
  void run() {
    boolean drained = false;
    try {
      recordLeaders(admin.awaitLeaders());
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

  private void recordLeaders(List<PartitionLeader> leaders) {
    long now = clock.epochMicros();
    leaders.forEach(
        leader ->
            events.leader(now, leader.topic(), leader.partition(), leader.leader(), leader.host()));
  }

  private boolean startClients() {
    load.startConsumers();
    if (!waiter.await(GROUPS, load::consumersReady)) {
      load.groups().stream()
          .filter(group -> !state.ending() && !group.ready())
          .findFirst()
          .ifPresent(
              group ->
                  failLate(
                      "consumer group " + group.id() + ": not all partitions were assigned",
                      GROUPS));
      return false;
    }
    load.connectProducers();
    Duration atMost = timeouts().send().plus(MARGIN);
    if (!waiter.await(atMost, load::producersConnected)) {
      if (!state.ending()) {
        failLate("producers: not all were connected", atMost);
      }
      return false;
    }
    return true;
  }

  /** Offers the load of all phases, then waits for the consumers. */
  private boolean offerLoad() {
    long start = clock.nanoTime() + START_LEAD.toNanos();
    Duration phases =
        plan.phases().stream().map(PhasePlan::duration).reduce(Duration.ZERO, Duration::plus);
    Duration sending = phases.plus(CATCH_UP);
    timeline.plan(plan.phases(), start, plan.drainTimeout());
    load.begin(start, start + sending.toNanos());
    Duration atMost =
        START_LEAD.plus(sending).plus(timeouts().send()).plus(timeouts().delivery()).plus(MARGIN);
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
