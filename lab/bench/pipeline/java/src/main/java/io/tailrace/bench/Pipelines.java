// SPDX-License-Identifier: Apache-2.0
package io.tailrace.bench;

import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.ship.EventPipeline;
import io.tailrace.loadgen.ship.LiveCounters;
import io.tailrace.loadgen.ship.OtlpTls;
import io.tailrace.loadgen.ship.PipelineConfig;
import io.tailrace.loadgen.spool.WorkerId;
import java.net.URI;

/** Starts the load generator's pipeline with the figures that a run starts it with. */
final class Pipelines {
  static final long RECORDER_BYTES = 128L << 20;
  private static final long UNSHIPPED_BYTES = 256L << 20;
  private static final int BLOCKS_IN_FLIGHT = 4;

  private Pipelines() {}

  static EventPipeline start(URI collector, String run, Recorders recorders) {
    WorkerId id = new WorkerId(run, 0);
    return EventPipeline.start(
        new PipelineConfig(
            collector, id, BLOCKS_IN_FLIGHT, UNSHIPPED_BYTES, LiveCounters.NONE, OtlpTls.NONE),
        recorders,
        null);
  }
}
