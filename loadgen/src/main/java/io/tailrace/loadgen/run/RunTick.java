// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.contract.EventKinds;
import io.tailrace.loadgen.ship.EventPipeline;
import java.util.Optional;

/** What a run looks after about every 20 ms, whatever it waits for. */
final class RunTick {
  private final RunContext run;
  private final EventPipeline pipeline;
  private final PhaseSequence phases;
  private final ProgressLine progress;
  private final Optional<AbortWatch> abortWatch;

  RunTick(RunContext run, EventPipeline pipeline, PhaseSequence phases) {
    this.run = run;
    this.pipeline = pipeline;
    this.phases = phases;
    this.progress =
        new ProgressLine(run.options().progress(), run.load(), pipeline, run.timeline());
    this.abortWatch =
        run.plan()
            .behaviour()
            .abortWhen()
            .map(bounds -> new AbortWatch(bounds, run.load()::behindNanos));
  }

  void tick() {
    if (run.timeline().advance()) {
      pipeline.resetLatency();
    }
    if (pipeline.died()) {
      run.state().fail("encoder: it has ended, and what is recorded from now on would be lost");
    }
    if (phases.running()) {
      phases.tick();
      abortReason().ifPresent(this::abort);
    }
    progress.maybePrint();
  }

  private Optional<String> abortReason() {
    return abortWatch.flatMap(
        watch -> watch.check(run.clock().nanoTime(), run.load().acked(), run.load().failed()));
  }

  private void abort(String reason) {
    phases.end();
    run.state().abort(reason);
    run.reporter().event(EventKinds.ALERT, "abort", reason);
  }
}
