// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.agreement.Agreement;
import io.tailrace.loadgen.kafka.TopicAdmin;
import io.tailrace.loadgen.pace.NanoClock;
import io.tailrace.loadgen.plan.Plan;

/**
 * What every step of a run works with.
 *
 * @param input what was asked for
 * @param control when it starts, whether it is to end, and how it waits
 * @param admin the cluster
 * @param load this worker's producers and consumers
 * @param agreement what the workers know of each other
 * @param reporter records and prints what happens to the run
 */
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
