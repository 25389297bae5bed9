// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.agreement.Agreement;
import io.tailrace.loadgen.kafka.TopicAdmin;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.Plan;

/** What every step of a run works with. */
record RunContext(
    RunOptions options,
    BoundedWait waits,
    TopicAdmin admin,
    Load load,
    Agreement agreement,
    RunReporter reporter) {
  Plan plan() {
    return load.plan();
  }

  RunState state() {
    return waits.state();
  }

  StartTime startTime() {
    return new StartTime(clock(), options.time().startAt());
  }

  NanoClock clock() {
    return reporter.clock();
  }

  Timeline timeline() {
    return reporter.timeline();
  }

  boolean isLeader() {
    return plan().worker() == 0;
  }

  boolean isLoneWorker() {
    return plan().workers() == 1;
  }
}
