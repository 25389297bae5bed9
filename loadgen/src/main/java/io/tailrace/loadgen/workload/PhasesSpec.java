// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * The stretches of a run, as the file asks for them.
 *
 * @param warmup length of the warm-up, which may be zero
 * @param warmupRate messages per second in the warm-up; empty for the rate of the measure phase
 * @param settle time at the measure phase's rate between warm-up and what follows; may be zero
 * @param fill when to wait until retention has been reached, before anything is measured
 * @param measure length of the measure phase, above zero; a limit when the volume is bounded
 * @param backlog a backlog to build and drain
 * @param cooldown time at the measure phase's rate after everything else; may be zero
 * @param drainTimeout longest wait for consumers after the last message
 */
public record PhasesSpec(
    Duration warmup,
    OptionalDouble warmupRate,
    Duration settle,
    Optional<Fill> fill,
    Duration measure,
    Optional<BacklogSpec> backlog,
    Duration cooldown,
    Duration drainTimeout) {
  /**
   * Load until the log start offset of every partition has advanced.
   *
   * @param timeout longest time to wait for that
   * @param rate messages per second meanwhile; empty for the rate of the measure phase
   */
  public record Fill(Duration timeout, OptionalDouble rate) {}
}
