// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.plan.Plan.TopicPlan;
import io.tailrace.loadgen.workload.Topics.TopicSpec;
import io.tailrace.loadgen.workload.Workload;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A plan report's topics: one by one or, if there are very many, ranges of equal topics. */
final class TopicsReport {
  private static final int MOST_ONE_BY_ONE = 10_000;

  private TopicsReport() {}

  static List<Map<String, Object>> of(Plan plan, Workload workload) {
    List<TopicPlan> topics = plan.topics();
    boolean oneByOne = topics.size() <= MOST_ONE_BY_ONE;
    List<Map<String, Object>> report = new ArrayList<>();
    int first = 0;
    for (int i = 1; i <= topics.size(); i++) {
      boolean goesOn =
          !oneByOne
              && i < topics.size()
              && workload.topics().get(i) == workload.topics().get(first);
      if (!goesOn) {
        Map<String, Object> entry = entry(topics.get(first), workload.topics().get(first));
        if (!oneByOne) {
          entry.put("last", topics.get(i - 1).name());
          entry.put("count", i - first);
        }
        report.add(entry);
        first = i;
      }
    }
    return report;
  }

  private static Map<String, Object> entry(TopicPlan topic, TopicSpec spec) {
    Map<String, Object> entry = new LinkedHashMap<>();
    entry.put("name", topic.name());
    entry.put("partitions", topic.partitions());
    entry.put("producers", spec.producers());
    entry.put("subscriptions", spec.subscriptions());
    if (topic.existing()) {
      entry.put("existing", true);
    }
    topic.copyOf().ifPresent(source -> entry.put("copy_of", source));
    return entry;
  }
}
