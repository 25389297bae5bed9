// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.ConsumerWorker;
import io.tailrace.loadgen.kafka.GroupsView;
import java.time.Duration;

/**
 * Whether the leader is the last worker, so that it does not delete topics which others still read.
 *
 * <p>A worker that has neither finished nor reported lately was killed, or the leader does not hear
 * from it. Then the brokers decide: no consumer of the run may be a member of a group any more.
 * They remove a killed worker's consumers after their session timeout.
 */
final class RemainingWorkers {
  private static final Duration ASK_BROKERS_EVERY = Duration.ofMillis(500);

  private final RunContext run;
  private final GroupsView groups;
  private final Interval askBrokers = new Interval();
  private boolean gone;

  RemainingWorkers(RunContext run) {
    this.run = run;
    this.groups = run.admin().groups();
  }

  /** Whether there is no other worker to wait for. For one thread. */
  boolean gone() {
    gone |= run.agreement().othersFinished();
    if (!gone && !run.agreement().othersActive() && askBrokers.elapsed(ASK_BROKERS_EVERY)) {
      gone = noMembers();
    }
    return gone;
  }

  private boolean noMembers() {
    String runId = run.plan().runId();
    // With an id from the driver, the run's clients look like any other member of its groups.
    boolean named = run.plan().config().consumer().containsKey("client.id");
    return groups
        .present(runId, named ? "" : ConsumerWorker.clientPrefix(runId))
        .filter(members -> members == 0)
        .isPresent();
  }
}
