// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.ConsumerWorker;
import io.tailrace.loadgen.kafka.GroupsView;
import io.tailrace.loadgen.plan.Plan;
import java.time.Duration;

/**
 * Worker 0's view of the others, so that it does not delete topics which someone still reads: they
 * are done when no consumer of the run is a member of a group any more. A killed worker's consumers
 * are thrown out by the brokers after their session timeout.
 */
final class OtherWorkers {
  private static final long ASK_EVERY_NANOS = Duration.ofMillis(500).toNanos();

  private final Plan plan;
  private final GroupsView view;
  private long askedAt = System.nanoTime() - ASK_EVERY_NANOS;
  private boolean gone;

  OtherWorkers(Plan plan, GroupsView view) {
    this.plan = plan;
    this.view = view;
  }

  /** Whether there is nobody to wait for. For one thread. */
  boolean gone() {
    long now = System.nanoTime();
    if (!gone && now - askedAt >= ASK_EVERY_NANOS) {
      askedAt = now;
      try {
        gone =
            view.present(plan.runId(), ConsumerWorker.clientPrefix(plan.runId()))
                .filter(members -> members == 0)
                .isPresent();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
    return gone;
  }
}
