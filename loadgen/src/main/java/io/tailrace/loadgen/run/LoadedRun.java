// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.PartitionLeader;
import io.tailrace.loadgen.kafka.ProducerTimeouts;
import io.tailrace.loadgen.kafka.RunTopics;
import io.tailrace.loadgen.kafka.TopicAdmin;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.EventRecorder;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.ship.EventPipeline;
import io.tailrace.loadgen.ship.OtlpTls;
import io.tailrace.loadgen.ship.PipelineConfig;
import io.tailrace.loadgen.ship.SpanPipeline;
import io.tailrace.loadgen.ship.SpoolConfig;
import io.tailrace.loadgen.spool.Spool;
import io.tailrace.loadgen.spool.WorkerId;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A run whose topics exist: from the first consumer to the last message, and put away. */
final class LoadedRun {
  private static final int BLOCKS_IN_FLIGHT = 4;
  private static final long WINDOW_BYTES = 32L << 20;
  private static final long WINDOW_BYTES_WITHOUT_SPOOL = 256L << 20;
  private static final Duration GROUPS = Duration.ofSeconds(60);
  private static final Duration PROBE = Duration.ofSeconds(60);
  // A producer that is behind at the end of its last phase still sends what was due, for this long.
  private static final Duration CATCH_UP = Duration.ofSeconds(10);
  private static final Duration MARGIN = Duration.ofSeconds(10);
  private static final Duration SHORT = Duration.ofSeconds(5);
  private static final Duration LEADERS = Duration.ofSeconds(30);

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
  private final StartTime startTime;
  private final LoadPhases phases;
  private final PutAway putAway;
  private final Watch watch;
  private final Optional<AbortWatch> abortWatch;
  private boolean loading;
  private long sendingEndsNanoTime = System.nanoTime();

  LoadedRun(
      Plan plan,
      RunOptions options,
      RunState state,
      NanoClock clock,
      TopicAdmin admin,
      RunTopics topics,
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
            new WorkerId(plan.runId(), plan.worker()),
            BLOCKS_IN_FLIGHT,
            spool == null ? WINDOW_BYTES_WITHOUT_SPOOL : WINDOW_BYTES,
            load,
            OtlpTls.of(System.getenv()));
    this.pipeline =
        spool == null
            ? EventPipeline.start(config, recorders)
            : EventPipeline.start(config, recorders, new SpoolConfig(spool, () -> Ledger.of(load)));
    this.timeline = new Timeline(clock, events);
    this.progress = new ProgressLine(options.progress(), load, pipeline, timeline);
    this.waiter = new Waiter(state, this::step);
    this.startTime = new StartTime(clock, options.startAt());
    PhaseEnd end = new PhaseEnd(plan, load, admin.offsets(load.partitions()));
    this.phases =
        new LoadPhases(
            plan,
            load,
            end,
            clock,
            timeline,
            events,
            waiter,
            state,
            options.progress(),
            plan.workers() == 1
                ? null
                : new SharedTurns(admin.decisions(), clock, plan.worker() == 0));
    this.watch = new Watch(clock, events);
    this.putAway =
        new PutAway(
            plan,
            options,
            state,
            clock,
            admin,
            topics,
            load,
            events,
            new Pipelines(pipeline, SpanPipeline.start(config, recorders.spans())),
            watch,
            timeline,
            waiter);
    this.abortWatch =
        plan.behaviour().abortWhen().map(bounds -> new AbortWatch(bounds, load::behindNanos));
  }

  /** Runs and puts away. What goes wrong is told by the run's state. */
  void run() {
    boolean drained = false;
    try {
      int partitions = load.topics().stream().mapToInt(Load.Topic::partitions).sum();
      watch(admin.awaitLeaders(partitions, startTime.atMost(LEADERS)));
      if (warmedUp() && startClients() && probe()) {
        drained = offerLoad();
      }
    } catch (InterruptedException e) {
      state.interrupt();
    } catch (RuntimeException e) {
      state.fail("run", e);
    }
    loading = false;
    if (state.ending()) {
      drained = windUp();
    }
    timeline.end();
    state.seal();
    putAway.all(drained, phases.verdicts(), sendingEndsNanoTime);
  }

  private void step() {
    if (timeline.advance()) {
      pipeline.resetLatency();
    }
    if (pipeline.died()) {
      state.fail("encoder: it has ended, and what is recorded from now on would be lost");
    }
    if (loading) {
      phases.step();
      abortWatch
          .flatMap(watch -> watch.look(clock.nanoTime(), load.acked(), load.failed()))
          .ifPresent(this::abort);
    }
    progress.maybe();
  }

  private void abort(String reason) {
    loading = false;
    state.abort(reason);
    events.event(clock.epochMicros(), "alert", "abort", reason);
  }

  private void watch(List<PartitionLeader> leaders) throws InterruptedException {
    watch.clock();
    if (!options.hostClock().isEmpty()) {
      events.event(clock.epochMicros(), "clock", "bound", options.hostClock());
    }
    if (plan.worker() == 0) { // for all workers
      watch.leaders(admin.leaders(), leaders);
      admin
          .durableSettings()
          .ifPresent(told -> events.event(clock.epochMicros(), "topic", "settings", told));
    }
  }

  private boolean warmedUp() throws InterruptedException {
    return new WarmupReads(
            plan, load, admin, clock, events, state, waiter, startTime, options.progress())
        .read();
  }

  private boolean startClients() {
    load.startConsumers();
    if (!waiter.await(startTime.atMost(GROUPS), load::consumersReady)) {
      if (!state.ending()) {
        String which =
            load.groups().stream()
                .filter(group -> !group.ready())
                .findFirst()
                .map(group -> "consumer group " + group.id())
                .orElse("consumer groups, as the brokers see them");
        state.fail(which + ": not all partitions were assigned " + startTime.tooLate(GROUPS));
      }
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

  /** Lets every path carry a message before anything else. */
  private boolean probe() {
    Probe probe = new Probe(load, plan.acknowledged());
    Duration atMost = startTime.atMost(PROBE);
    timeline.enter(Timeline.PROBE, atMost);
    probe.start();
    boolean done = waiter.await(atMost, probe::done);
    if (!done && !state.ending()) {
      state.fail("probe: " + probe.missing().orElse("") + " " + startTime.tooLate(PROBE));
    }
    return done;
  }

  /** Offers the load of all phases, then waits for the consumers. */
  private boolean offerLoad() throws InterruptedException {
    loading = true;
    long end = phases.offer(startTime.nanoTime());
    sendingEndsNanoTime = end + CATCH_UP.toNanos();
    load.giveUpAt(sendingEndsNanoTime);
    timeline.plan(Timeline.DRAIN, end, plan.drainTimeout());
    Duration atMost =
        Duration.ofNanos(sendingEndsNanoTime - clock.nanoTime())
            .plus(timeouts().send())
            .plus(timeouts().delivery())
            .plus(MARGIN);
    if (!waiter.await(atMost, load::producersEnded)) {
      if (!state.ending()) {
        state.fail("producers: not all had ended after " + atMost.toSeconds() + " s");
      }
      return false;
    }
    timeline.advance();
    return waiter.await(plan.drainTimeout(), load::drained);
  }

  /**
   * Ends an interrupted or failed run early: what was sent gets an outcome, what was acknowledged a
   * short drain.
   */
  private boolean windUp() {
    load.stopProducers();
    load.pauseConsumers(false);
    if (!waiter.awaitToTheEnd(SHORT, load::producersEnded)) {
      load.abortProducers();
      waiter.awaitToTheEnd(SHORT, load::producersEnded);
    }
    if (timeline.begun() && !timeline.current().equals(Timeline.DRAIN)) {
      timeline.enter(Timeline.DRAIN, SHORT);
    }
    return waiter.awaitToTheEnd(SHORT, load::drained);
  }

  private ProducerTimeouts timeouts() {
    return ProducerTimeouts.of(plan.config().producer());
  }
}
