// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.kafka.BadInputException;
import io.tailrace.loadgen.kafka.PartitionLeader;
import io.tailrace.loadgen.kafka.ProducerTimeouts;
import io.tailrace.loadgen.kafka.RunTopics;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.run.RunResources.Pipelines;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One worker's part of a run. {@link #takeSteps} lists its steps in order; every step has a bound,
 * and the run is finished in order however it ends.
 */
public final class Run {
  private static final Duration MEET_LEADER_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration LEADERS_TIMEOUT = Duration.ofSeconds(30);
  private static final Duration GROUPS_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration PROBE_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration MARGIN = Duration.ofSeconds(10);
  private static final Duration END_EARLY_TIMEOUT = Duration.ofSeconds(5);

  private final Plan plan;
  private final RunOptions options;
  private final RunState state = new RunState();

  public Run(Plan plan, RunOptions options) {
    this.plan = plan;
    this.options = options;
  }

  /**
   * Runs to the end. A failure in mid-run becomes one line on the progress stream.
   *
   * @return 0 completed, 1 failed in mid-run, 130 after {@link #stop()}
   * @throws BadInputException when the run cannot start because of its input; nothing is left
   *     behind
   */
  public int execute() throws InterruptedException {
    RunResources resources = new RunResources(plan, options, state);
    try {
      resources.open();
      execute(resources);
    } finally {
      resources.close();
    }
    state.failure().ifPresent(line -> options.progress().println("error: " + line));
    return state.exitCode();
  }

  /** Ends the run early and in order: flush, ship, delete topics. Any thread, more than once. */
  public void stop() {
    state.interrupt();
  }

  private void execute(RunResources resources) throws InterruptedException {
    RunContext run = resources.context();
    try {
      createTopics(run, resources.topics());
      Pipelines pipelines = resources.startPipelines();
      PhaseSequence phases = new PhaseSequence(run, pipelines.events());
      ClockAndLeaderWatch watch = new ClockAndLeaderWatch(run.clock(), run.reporter().events());
      run.waits().eachTick(new RunTick(run, pipelines.events(), phases)::tick);
      RunLogs logs = new RunLogs(run);
      boolean drained = takeSteps(run, logs, watch, phases);
      new RunFinish(run, resources.topics(), pipelines, watch, logs).finish(drained, phases);
    } catch (BadInputException e) {
      throw e;
    } catch (RuntimeException e) {
      state.fail("run", e);
    }
  }

  /** The steps up to the last message; returns whether every group has received everything. */
  private boolean takeSteps(
      RunContext run, RunLogs logs, ClockAndLeaderWatch watch, PhaseSequence phases) {
    boolean drained = false;
    try {
      drained =
          meetLeader(run)
              && awaitPartitionLeaders(run, watch)
              && recordLogs(logs)
              && readForWarmup(run)
              && startConsumers(run)
              && connectProducers(run)
              && probe(run)
              && runPhases(run, phases)
              && endProducers(run, phases)
              && drain(run);
    } catch (InterruptedException e) {
      state.interrupt();
    } catch (RuntimeException e) {
      state.fail("run", e);
    }
    phases.end();
    if (state.ending()) {
      drained = endEarly(run);
    }
    run.timeline().end();
    state.seal();
    return drained;
  }

  private void createTopics(RunContext run, RunTopics topics) throws InterruptedException {
    if (run.isLeader()) {
      for (Path left : options.files().topicsLeft()) {
        topics.deleteLeft(left).ifPresent(run.reporter()::print);
      }
      topics.create();
    }
    run.admin().shareGroups().prepare();
  }

  /** Waits until worker 0 answers; worker 0 itself need not wait. */
  private boolean meetLeader(RunContext run) {
    boolean met =
        run.waits().await(run.startTime().atMost(MEET_LEADER_TIMEOUT), run.agreement()::met);
    return met
        || failed(
            run.agreement().leaderLost().orElse("worker 0")
                + " "
                + run.startTime().tooLate(MEET_LEADER_TIMEOUT));
  }

  /** Waits until every partition has a leader; from then on changes of leaders are recorded. */
  private boolean awaitPartitionLeaders(RunContext run, ClockAndLeaderWatch watch)
      throws InterruptedException {
    int partitions = run.load().topics().stream().mapToInt(Load.Topic::partitions).sum();
    List<PartitionLeader> leaders =
        run.admin().awaitLeaders(partitions, run.startTime().atMost(LEADERS_TIMEOUT));
    watch.watchClock();
    if (!options.time().hostClock().isEmpty()) {
      run.reporter().event(EventKinds.CLOCK, "bound", options.time().hostClock());
    }
    if (run.isLeader()) { // for all workers
      watch.watchLeaders(run.admin().leaders(), leaders);
      run.admin()
          .durableSettings()
          .ifPresent(settings -> run.reporter().event(EventKinds.TOPIC, "settings", settings));
    }
    return true;
  }

  private boolean recordLogs(RunLogs logs) {
    logs.recordStart();
    return true;
  }

  private boolean readForWarmup(RunContext run) {
    return new WarmupReads(run).read();
  }

  private boolean startConsumers(RunContext run) {
    Load load = run.load();
    load.startConsumers();
    if (run.waits().await(run.startTime().atMost(GROUPS_TIMEOUT), load::consumersReady)) {
      return true;
    }
    String which =
        load.groups().stream()
            .filter(group -> !group.ready())
            .findFirst()
            .map(group -> "consumer group " + group.id())
            .orElse("consumer groups, as the brokers see them");
    return failed(
        which + ": not all partitions were assigned " + run.startTime().tooLate(GROUPS_TIMEOUT));
  }

  private boolean connectProducers(RunContext run) {
    run.load().connectProducers();
    Duration usual = timeouts().send().plus(MARGIN);
    return run.waits().await(run.startTime().atMost(usual), run.load()::producersConnected)
        || failed("producers: not all were connected " + run.startTime().tooLate(usual));
  }

  private boolean probe(RunContext run) {
    Probe probe = new Probe(run.load(), plan.acknowledged());
    Duration atMost = run.startTime().atMost(PROBE_TIMEOUT);
    run.timeline().enter(Timeline.PROBE, atMost);
    probe.start();
    return run.waits().await(atMost, probe::done)
        || failed(
            "probe: " + probe.missing().orElse("") + " " + run.startTime().tooLate(PROBE_TIMEOUT));
  }

  private boolean runPhases(RunContext run, PhaseSequence phases) {
    Optional<String> lost = run.agreement().leaderLost();
    if (lost.isPresent()) {
      return failed(lost.get());
    }
    phases.run();
    run.load().giveUpAt(phases.sendingEndsNanoTime());
    return true;
  }

  private boolean endProducers(RunContext run, PhaseSequence phases) {
    Duration atMost =
        Duration.ofNanos(phases.sendingEndsNanoTime() - run.clock().nanoTime())
            .plus(timeouts().send())
            .plus(timeouts().delivery())
            .plus(MARGIN);
    return run.waits().await(atMost, run.load()::producersEnded)
        || failed("producers: not all had ended after " + atMost.toSeconds() + " s");
  }

  private boolean drain(RunContext run) {
    run.timeline().advance();
    return run.waits().await(plan.drainTimeout(), run.load()::drained);
  }

  /** Ends a run early: waits briefly for the outcomes of sends, then for the consumers. */
  private boolean endEarly(RunContext run) {
    Load load = run.load();
    load.stopProducers();
    load.pauseConsumers(false);
    if (!run.waits().awaitDespiteEnd(END_EARLY_TIMEOUT, load::producersEnded)) {
      load.abortProducers();
      run.waits().awaitDespiteEnd(END_EARLY_TIMEOUT, load::producersEnded);
    }
    Timeline timeline = run.timeline();
    if (timeline.begun() && !timeline.current().equals(Timeline.DRAIN)) {
      timeline.enter(Timeline.DRAIN, END_EARLY_TIMEOUT);
    }
    return run.waits().awaitDespiteEnd(END_EARLY_TIMEOUT, load::drained);
  }

  /** A step that was cut short by the run's end has not failed itself. */
  private boolean failed(String line) {
    if (!state.ending()) {
      state.fail(line);
    }
    return false;
  }

  private ProducerTimeouts timeouts() {
    return ProducerTimeouts.of(plan.config().producer());
  }
}
