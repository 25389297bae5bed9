// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.plan.PhasePlan;
import io.tailrace.loadgen.plan.PhasePlan.Until;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.workload.ArrivalSpec;
import io.tailrace.loadgen.workload.Behaviour;
import io.tailrace.loadgen.workload.ConsumeSpec;
import io.tailrace.loadgen.workload.KeySpec;
import io.tailrace.loadgen.workload.RateSpec.Pacing;
import java.util.LinkedHashMap;
import java.util.Map;

/** What can be planned and not be run: refused, so that no plan is half obeyed. */
final class NotYet {
  private NotYet() {}

  /**
   * @throws BadInputException naming all that this plan asks for in vain
   */
  static void refuse(Plan plan) {
    Behaviour behaviour = plan.behaviour();
    Map<String, Boolean> asked = new LinkedHashMap<>();
    asked.put("keys", behaviour.keys().choice() != KeySpec.Choice.NONE);
    asked.put("headers", !behaviour.headers().isEmpty());
    asked.put("arrivals", behaviour.arrivals().pattern() != ArrivalSpec.Pattern.CONSTANT);
    asked.put("consumer modes", !behaviour.consume().equals(ConsumeSpec.PLAIN));
    asked.put("transactions", behaviour.transactions().isPresent());
    asked.put("abortWhen", behaviour.abortWhen().isPresent());
    asked.put("traces", behaviour.traceOneIn() > 0);
    asked.put("message sizes", plan.payload().sizes().isPresent());
    asked.put("payload pools", plan.payload().bodies().size() > 1);
    asked.put("existing topics", plan.topics().stream().anyMatch(Plan.TopicPlan::existing));
    asked.put("produce-only", plan.consumers().isEmpty());
    asked.put("phases with an open end", plan.phases().stream().anyMatch(NotYet::open));
    asked.put("unscheduled rates", plan.phases().stream().anyMatch(NotYet::unscheduled));
    asked.values().removeIf(wanted -> !wanted);
    if (!asked.isEmpty()) {
      throw new BadInputException(
          "this version cannot run " + String.join(", ", asked.keySet()) + "; plan shows them");
    }
  }

  private static boolean open(PhasePlan phase) {
    return phase.until() != Until.TIME;
  }

  private static boolean unscheduled(PhasePlan phase) {
    return phase.pacing() != Pacing.FIXED || phase.rate().size() > 1;
  }
}
