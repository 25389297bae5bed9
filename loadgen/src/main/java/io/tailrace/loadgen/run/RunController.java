// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.RunTopics;
import io.tailrace.loadgen.kafka.TopicAdmin;
import io.tailrace.loadgen.kafka.UnusableClusterException;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.spool.Spool;
import io.tailrace.loadgen.spool.SpoolException;
import io.tailrace.loadgen.spool.SpoolLimits;
import io.tailrace.loadgen.spool.WorkerId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * Leads one worker through one run: topics, consumers, producers, phases, drain, and everything put
 * away again, however the run ends. Every wait has a bound.
 */
public final class RunController {
  private static final long RECORDER_BYTES = 128L << 20;
  // A recorder's first chunk and the one it moves on to.
  private static final long BYTES_PER_CLIENT = 128L << 10;

  private final Plan plan;
  private final RunOptions options;
  private final RunState state = new RunState();

  /**
   * @param plan what to do
   * @param options where to ship and report to
   */
  public RunController(Plan plan, RunOptions options) {
    this.plan = plan;
    this.options = options;
  }

  /**
   * Runs to the end. A failure in mid-run is told in one line on the progress stream.
   *
   * @return 0 completed, 1 failed in mid-run, 130 after {@link #stop()}
   * @throws BadInputException when the run cannot start because of its input; nothing is left
   *     behind
   */
  public RunResult run() throws InterruptedException {
    Spool spool = spool();
    try (TopicAdmin admin = TopicAdmin.connect(plan)) {
      RunTopics topics = admin.topics(options.topicNote());
      NanoClock clock = NanoClock.system();
      Recorders recorders =
          new Recorders(recorderBytes(), plan.behaviour().traceOneIn(), options.keepsMessages());
      Load load = new Load(plan, admin.partitions(), clock, recorders, state::fail);
      try {
        if (plan.worker() == 0) {
          for (Path left : options.topicsLeft()) {
            topics.deleteLeft(left).ifPresent(options.progress()::println);
          }
          topics.create();
        }
        admin.shareGroups().prepare();
        boolean unanswered = !plan.acknowledged() && !plan.producers().isEmpty();
        if (plan.workers() > 1 || unanswered) {
          load.share(
              new SharedGroups(
                  admin.groups(),
                  load.groups(),
                  plan.groups(),
                  load.partitions(),
                  sent(load),
                  plan.drainTimeout()));
        }
        new LoadedRun(plan, options, state, clock, admin, topics, load, recorders, spool).run();
      } catch (UnusableClusterException e) {
        throw e;
      } catch (RuntimeException e) {
        state.fail("run", e);
      } finally {
        load.close();
        topics.delete();
      }
    } catch (UnusableClusterException e) {
      throw new BadInputException(e.getMessage(), e);
    } finally {
      putAway(spool);
    }
    state.failure().ifPresent(line -> options.progress().println("error: " + line));
    return new RunResult(state.exitCode());
  }

  /** Only a lone worker knows what was sent, and only new topics begin with nothing. */
  private LongSupplier sent(Load load) {
    boolean known =
        plan.workers() == 1 && plan.topics().stream().noneMatch(Plan.TopicPlan::existing);
    return known ? load::acked : () -> 0;
  }

  private long recorderBytes() {
    long clients = (long) plan.producers().size() + plan.consumers().size();
    return Math.max(RECORDER_BYTES, clients * BYTES_PER_CLIENT);
  }

  private Spool spool() {
    if (options.spoolFolder() == null) {
      return null;
    }
    try {
      return Spool.create(
          options.spoolFolder(),
          new WorkerId(plan.runId(), plan.worker()),
          SpoolLimits.of(options.spoolBytes()));
    } catch (SpoolException e) {
      throw new BadInputException("--spool: " + e.getMessage(), e);
    }
  }

  /** Removes a spool that no run has come to use; any other one is the pipeline's to end. */
  private static void putAway(Spool spool) {
    if (spool == null) {
      return;
    }
    try {
      if (!spool.used()) {
        spool.delete();
      }
    } catch (IOException e) {
      // An empty spool stays behind; the next replay removes it.
    } finally {
      spool.close();
    }
  }

  /**
   * Ends the run early and in order: flush, ship, delete topics. May be called from any thread,
   * more than once.
   */
  public void stop() {
    state.interrupt();
  }
}
