// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.ship.EventPipeline;
import io.tailrace.loadgen.ship.OtlpTls;
import io.tailrace.loadgen.ship.PipelineConfig;
import io.tailrace.loadgen.ship.SpanPipeline;
import io.tailrace.loadgen.ship.SpoolConfig;
import io.tailrace.loadgen.spool.Spool;
import io.tailrace.loadgen.spool.WorkerId;

/**
 * What ships the recorded rows.
 *
 * @param events every message, and what happened to the run
 * @param spans sampled messages
 */
record Pipelines(EventPipeline events, SpanPipeline spans) {
  private static final int BLOCKS_IN_FLIGHT = 4;
  private static final long WINDOW_BYTES = 32L << 20;
  private static final long WINDOW_BYTES_WITHOUT_SPOOL = 256L << 20;

  /**
   * Starts both.
   *
   * @param spool where blocks are kept until they are stored, or null for memory alone
   */
  static Pipelines start(RunContext run, Recorders recorders, Spool spool) {
    Plan plan = run.plan();
    Load load = run.load();
    PipelineConfig config =
        new PipelineConfig(
            run.options().otlpEndpoint(),
            new WorkerId(plan.runId(), plan.worker()),
            BLOCKS_IN_FLIGHT,
            spool == null ? WINDOW_BYTES_WITHOUT_SPOOL : WINDOW_BYTES,
            load,
            OtlpTls.of(System.getenv()));
    EventPipeline events =
        spool == null
            ? EventPipeline.start(config, recorders)
            : EventPipeline.start(
                config, recorders, new SpoolConfig(spool, () -> LoadLedger.of(load)));
    return new Pipelines(events, SpanPipeline.start(config, recorders.spans()));
  }
}
