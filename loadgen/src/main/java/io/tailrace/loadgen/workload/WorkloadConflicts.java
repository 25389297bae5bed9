// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Predicate;

/** What no field shows by itself: fields that do not go together, and counts that multiply. */
final class WorkloadConflicts {
  private static final long MOST_OVER_ALL_TOPICS = 10_000_000;

  private final Workload workload;
  private final Fields fields;

  private WorkloadConflicts(Workload workload, Fields fields) {
    this.workload = workload;
    this.fields = fields;
  }

  static void check(Workload workload, Fields fields) {
    WorkloadConflicts conflicts = new WorkloadConflicts(workload, fields);
    conflicts.clients();
    conflicts.volume();
    conflicts.phases();
    conflicts.names();
  }

  private void clients() {
    long producers = 0;
    long consumers = 0;
    long partitions = 0;
    boolean groupWithoutMembers = false;
    boolean idle = false;
    for (TopicSpec topic : workload.topics()) {
      producers += topic.producers();
      consumers += (long) topic.subscriptions() * topic.consumersPerSubscription();
      partitions += topic.partitions();
      groupWithoutMembers |= topic.subscriptions() > 0 && topic.consumersPerSubscription() == 0;
      idle |= topic.producers() == 0 && topic.subscriptions() == 0;
    }
    refuseAbove("producersPerTopic", "producers", producers);
    refuseAbove("consumerPerSubscription", "consumers", consumers);
    refuseAbove("partitionsPerTopic", "partitions", partitions);
    if (groupWithoutMembers) {
      String what = "a group without consumers";
      fields.add("consumerPerSubscription", what, "set it to 1 or more, or have no subscriptions");
    }
    boolean asked = !fields.isBad("producersPerTopic") && !fields.isBad("subscriptionsPerTopic");
    if (idle && asked) {
      fields.add("producersPerTopic", "a topic that nobody writes or reads", "add a client to it");
    }
    boolean nothingToRead =
        workload.topics().stream().anyMatch(t -> t.producers() == 0 && !t.existing());
    if (nothingToRead && !idle && asked) {
      String what = "0 for a topic that the run makes leaves nothing to read";
      fields.add("producersPerTopic", what, "name existing topics, or add a producer");
    }
  }

  private void volume() {
    Behaviour behaviour = workload.behaviour();
    boolean produces = any(topic -> topic.producers() > 0);
    boolean consumes = any(topic -> topic.subscriptions() > 0);
    if (behaviour.readToEnd() && !consumes) {
      fields.add("readToEnd", "nobody reads", "add a subscription");
    }
    if (behaviour.readToEnd() && behaviour.consume().groups() == ConsumeSpec.Groups.SHARE) {
      fields.add("readToEnd", "a share group has no position", "set consumerType: group");
    }
    if (behaviour.consume().warmupReads() > 0 && !behaviour.readToEnd()) {
      fields.add("warmupReads", "nothing is read to its end", "add readToEnd: true, or remove it");
    }
    if (behaviour.readToEnd() && behaviour.messages().isPresent()) {
      String key = fields.has("bytes") ? "bytes" : "messages";
      fields.add(key, "given beside readToEnd", "keep one: either ends the measure phase");
    }
    if (behaviour.messages().isPresent() && !produces) {
      String key = fields.has("bytes") ? "bytes" : "messages";
      fields.add(key, "nobody writes", "add a producer, or use readToEnd: true");
    }
    if (behaviour.transactions().isPresent() && !produces) {
      fields.add("transactions", "nobody writes", "add a producer");
    }
  }

  private void phases() {
    boolean produces = any(topic -> topic.producers() > 0);
    boolean consumes = any(topic -> topic.subscriptions() > 0);
    if (workload.phases().backlog().isPresent() && !(produces && consumes)) {
      String key = fields.has("backlog") ? "backlog" : "consumerBacklogSizeGB";
      fields.add(key, "needs producers and consumers", "add them, or remove it");
    }
    if (workload.phases().fill().isPresent() && !produces) {
      fields.add("measureAfter", "nobody writes", "add a producer, or remove it");
    }
    boolean slept = workload.slo().stream().anyMatch(slo -> slo.key().equals("backlogDrain"));
    if (slept && workload.phases().backlog().isEmpty()) {
      fields.add("slo", "backlogDrain without a backlog", "add backlog: {bytes: 10GiB}");
    }
    boolean scheduled = workload.behaviour().rate().pacing() == RateSpec.Pacing.FIXED;
    if (!scheduled && workload.behaviour().arrivals().pattern() != ArrivalSpec.Pattern.CONSTANT) {
      fields.add("arrivals", "means nothing without a rate", "set producerRate to a rate");
    }
  }

  private void names() {
    Set<String> seen = new HashSet<>();
    for (TopicSpec topic : workload.topics()) {
      if (topic.name().isPresent() && !seen.add(topic.name().get())) {
        fields.add("topics", "names " + topic.name().get() + " twice", "name each topic once");
        return;
      }
    }
  }

  private boolean any(Predicate<TopicSpec> predicate) {
    return workload.topics().stream().anyMatch(predicate);
  }

  private void refuseAbove(String key, String things, long count) {
    if (count > MOST_OVER_ALL_TOPICS) {
      String what = "makes " + count + " " + things + " over all topics";
      fields.add(key, what, "stay within " + MOST_OVER_ALL_TOPICS);
    }
  }
}
