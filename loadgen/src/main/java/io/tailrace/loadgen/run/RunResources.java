// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.agreement.Agreement;
import io.tailrace.loadgen.kafka.BadInputException;
import io.tailrace.loadgen.kafka.RunTopics;
import io.tailrace.loadgen.kafka.TopicAdmin;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.ship.EventPipeline;
import io.tailrace.loadgen.ship.OtlpTls;
import io.tailrace.loadgen.ship.PipelineConfig;
import io.tailrace.loadgen.ship.SpanPipeline;
import io.tailrace.loadgen.ship.SpoolConfig;
import io.tailrace.loadgen.spool.Spool;
import io.tailrace.loadgen.spool.SpoolException;
import io.tailrace.loadgen.spool.SpoolLimits;
import io.tailrace.loadgen.spool.WorkerId;
import io.tailrace.loadgen.workload.Durability;
import java.io.IOException;
import java.util.function.LongSupplier;

/** What a run opens before its first step, and closes after its last one, however it ends. */
final class RunResources {
  private static final long RECORDER_BYTES = 128L << 20;
  // A recorder's first chunk and the one it moves on to.
  private static final long BYTES_PER_CLIENT = 128L << 10;
  private static final int BLOCKS_IN_FLIGHT = 4;
  private static final long WINDOW_BYTES = 32L << 20;
  private static final long WINDOW_BYTES_WITHOUT_SPOOL = 256L << 20;

  record Pipelines(EventPipeline events, SpanPipeline spans) {}

  private final Plan plan;
  private final RunOptions options;
  private final RunState state;
  private Spool spool;
  private TopicAdmin admin;
  private RunTopics topics;
  private Recorders recorders;
  private RunContext context;
  private Load load;
  private Agreement agreement;

  RunResources(Plan plan, RunOptions options, RunState state) {
    this.plan = plan;
    this.options = options;
    this.state = state;
  }

  /** Opens everything; nothing is started or created on the cluster yet. */
  void open() throws InterruptedException {
    spool = openSpool();
    admin = TopicAdmin.connect(plan);
    topics = admin.topics(options.files().topicNote());
    recorders =
        new Recorders(recorderBytes(), plan.behaviour().traceOneIn(), options.keepsMessages());
    NanoClock clock = NanoClock.system();
    load = new Load(plan, admin.partitions(), clock, recorders, state::fail);
    agreement = startAgreement();
    shareGroups();
    Timeline timeline = new Timeline(clock, recorders.events());
    context =
        new RunContext(
            options,
            new BoundedWait(state),
            admin,
            load,
            agreement,
            new RunReporter(clock, recorders.events(), timeline, options.progress()));
  }

  RunContext context() {
    return context;
  }

  RunTopics topics() {
    return topics;
  }

  /** Starts what ships the recorded rows. From here on the spool is the pipeline's to end. */
  Pipelines startPipelines() {
    PipelineConfig config =
        new PipelineConfig(
            options.otlpEndpoint(),
            new WorkerId(plan.runId(), plan.worker()),
            BLOCKS_IN_FLIGHT,
            spool == null ? WINDOW_BYTES_WITHOUT_SPOOL : WINDOW_BYTES,
            load.counters(),
            OtlpTls.of(System.getenv()));
    SpoolConfig spooling = spool == null ? null : new SpoolConfig(spool, () -> LoadLedger.of(load));
    return new Pipelines(
        EventPipeline.start(config, recorders, spooling),
        SpanPipeline.start(config, recorders.spans()));
  }

  /** Where this worker cannot know what the logs hold, its groups are judged by the brokers. */
  private void shareGroups() {
    boolean unanswered = !plan.acknowledged() && !plan.producers().isEmpty();
    if (plan.workers() > 1 || unanswered) {
      load.share(new SharedGroups(admin.groups(), agreement, plan, load, expectedInLogs()));
    }
  }

  /** Only a lone worker knows what was sent, and only new topics begin empty. */
  private LongSupplier expectedInLogs() {
    boolean known =
        plan.workers() == 1 && plan.topics().stream().noneMatch(Plan.TopicPlan::existing);
    return known ? load::acked : () -> 0;
  }

  private long recorderBytes() {
    long clients = (long) plan.producers().size() + plan.consumers().size();
    return Math.max(RECORDER_BYTES, clients * BYTES_PER_CLIENT);
  }

  private Agreement startAgreement() {
    if (plan.workers() == 1) {
      return Agreement.ALONE;
    }
    try {
      return options.agreement().start(plan.worker(), plan.workers());
    } catch (IOException e) {
      String line = "--agreement-listen: worker 0 cannot listen at %s: %s";
      throw new BadInputException(line.formatted(options.agreement().listen(), e.getMessage()), e);
    }
  }

  private Spool openSpool() {
    if (options.files().spool() == null) {
      return null;
    }
    try {
      return Spool.create(
          options.files().spool(),
          new WorkerId(plan.runId(), plan.worker()),
          SpoolLimits.of(options.files().spoolBytes()),
          plan.behaviour().durability() == Durability.FSYNC);
    } catch (SpoolException e) {
      throw new BadInputException("--spool: " + e.getMessage(), e);
    }
  }

  /** Closes what is open, the last one first, and deletes topics that still exist. */
  void close() throws InterruptedException {
    try {
      if (load != null) {
        load.close();
        topics.delete();
      }
    } finally {
      if (agreement != null) {
        agreement.close();
      }
      if (admin != null) {
        admin.close();
      }
      closeSpool();
    }
  }

  /** Deletes a spool that no run came to use. */
  private void closeSpool() {
    if (spool == null) {
      return;
    }
    try {
      if (!spool.used()) {
        spool.delete();
      }
    } catch (IOException e) {
      // An empty spool stays; the next replay removes it.
    } finally {
      spool.close();
    }
  }
}
