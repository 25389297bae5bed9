// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.agreement.Agreement;
import io.tailrace.loadgen.kafka.TopicAdmin;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.Plan;

/** What every step of a run works with. */
record RunContext(
    Input input,
    Control control,
    TopicAdmin admin,
    Load load,
    Agreement agreement,
    RunReporter reporter) {

  record Input(Plan plan, RunOptions options) {}

  record Control(RunState state, StartTime startTime, BoundedWait waits) {}

  Plan plan() {
    return input.plan();
  }

  RunOptions options() {
    return input.options();
  }

  RunState state() {
    return control.state();
  }

  StartTime startTime() {
    return control.startTime();
  }

  BoundedWait waits() {
    return control.waits();
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
