// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.agreement.Agreement;
import io.tailrace.loadgen.agreement.Decision;
import io.tailrace.loadgen.pace.NanoClock;
import java.time.Duration;
import java.util.Optional;

/**
 * Ends of phases and rates that no plan knows beforehand, the same for all workers: the leader
 * decides and announces, the others follow. For one thread.
 */
final class PhaseDecisions {
  /** A decision takes effect this far ahead, so that every worker knows it before. */
  static final Duration ANNOUNCE_AHEAD = Duration.ofSeconds(2);

  /** How long a worker whose goal is reached waits for the leader's decision. */
  static final Duration DECISION_TIMEOUT = Duration.ofSeconds(15);

  private final Agreement agreement;
  private final NanoClock clock;
  private long announced;

  PhaseDecisions(RunContext run) {
    this.agreement = run.agreement();
    this.clock = run.clock();
  }

  boolean leads() {
    return agreement.leads();
  }

  /** Announces when, by this worker's clock, a phase ends, and whether it has reached its goal. */
  void announceEnd(int phase, long nanoTime, boolean reached) {
    announceRate(phase, nanoTime, reached, 0, 0);
  }

  /** Announces the rate from a time on, and the highest sustained one found so far. */
  void announceRate(int phase, long nanoTime, boolean searchEnded, double rate, double found) {
    agreement.announce(
        new Decision(++announced, phase, clock.epochMicros(nanoTime), searchEnded, rate, found));
  }

  Optional<Decision> decision(int phase) {
    return agreement.decision().filter(found -> found.phase() == phase);
  }

  /** Reading of this worker's clock at which a decision takes effect. */
  long nanoTime(Decision decision) {
    return clock.nanoTime() + (decision.timeMicros() - clock.epochMicros()) * 1000;
  }

  boolean leaderLost() {
    return agreement.leaderLost().isPresent();
  }
}
