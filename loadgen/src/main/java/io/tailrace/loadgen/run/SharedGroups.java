// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.agreement.Agreement;
import io.tailrace.loadgen.kafka.ConsumerWorker;
import io.tailrace.loadgen.kafka.GroupsView;
import io.tailrace.loadgen.kafka.GroupsView.Assigned;
import io.tailrace.loadgen.plan.Plan;
import io.tailrace.loadgen.plan.Plan.GroupPlan;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The consumer groups of all workers of a run. What all of them together have done is read from the
 * brokers, and from what the workers report to each other. A lone worker reads it there too where
 * no acknowledgement states what is in the logs. For one thread.
 */
final class SharedGroups {
  private static final Duration READ_EVERY = Duration.ofMillis(500);
  private static final Duration READ_BACKLOG_EVERY = Duration.ofSeconds(1);
  // Programs that start side by side on busy cores become ready at quite different times.
  private static final long OTHERS_NANOS = Duration.ofSeconds(10).toNanos();
  // Longer than any pause between two messages of a worker that still catches up.
  private static final long SETTLED_NANOS = Duration.ofSeconds(2).toNanos();
  // Longer than any stall of a broker that still has messages in its sockets.
  private static final Duration LOST = Duration.ofSeconds(10);

  private final GroupsView view;
  private final Agreement agreement;
  private final List<ConsumerGroup> groups;
  private final Map<String, GroupPlan> all;
  private final Map<String, Integer> topics;
  private final LongSupplier expected;
  private final long lostNanos;
  private final boolean copies;
  private final Interval interval = new Interval();
  private final Map<String, long[]> read = new HashMap<>();
  private Map<String, long[]> ends = Map.of();
  private long endsSince = System.nanoTime();
  private long backlog;
  private long ownBacklog;
  private boolean known;
  private boolean ready;
  private boolean complete;
  private long assignedSince = Long.MAX_VALUE;

  SharedGroups(GroupsView view, Agreement agreement, Plan plan, Load load, LongSupplier expected) {
    this.view = view;
    this.agreement = agreement;
    this.groups = load.groups();
    this.all = plan.groups();
    this.topics = load.partitions();
    this.expected = expected;
    this.copies = plan.topics().stream().anyMatch(topic -> topic.copyOf().isPresent());
    this.lostNanos = Math.min(LOST.toNanos(), plan.drainTimeout().toNanos() / 2);
  }

  /**
   * Whether in every group all partitions are assigned, to consumers of any worker, and this
   * worker's consumers know their positions in theirs. A worker that probed before the others have
   * joined would receive its messages again when they do, so it waits for them, but not for ever:
   * one may never come.
   */
  boolean ready() {
    if (interval.elapsed(READ_EVERY)) {
      complete = true;
      boolean assigned = unlessInterrupted(() -> groups.stream().allMatch(this::ready));
      assignedSince = assigned ? Math.min(assignedSince, System.nanoTime()) : Long.MAX_VALUE;
      ready = assigned && (complete || System.nanoTime() - assignedSince > OTHERS_NANOS);
    }
    return ready;
  }

  private boolean ready(ConsumerGroup group) {
    if (group.share() && group.held()) {
      return true; // it joins when the load begins
    }
    List<Assigned> members = view.members(group.id()).orElse(null);
    if (members == null) {
      return false;
    }
    complete &= members.size() >= all.get(group.id()).consumers();
    BitSet assigned = new BitSet(group.partitions());
    members.forEach(member -> member.partitions().forEach(assigned::set));
    for (ConsumerWorker consumer : group.share() ? List.<ConsumerWorker>of() : group.consumers()) {
      if (!members.contains(new Assigned(consumer.clientId(), consumer.readyPartitions()))) {
        return false;
      }
    }
    return assigned.cardinality() == group.partitions();
  }

  /**
   * Whether the logs have stopped growing and every group that this worker is in has received all
   * that is in them. What another worker's consumers have received is known from its reports and
   * from what their group has committed.
   */
  boolean drained() {
    if (interval.elapsed(READ_EVERY)) {
      read();
    }
    return known
        && ownBacklog == 0
        && groups.stream().allMatch(group -> group.open() == 0)
        && System.nanoTime() - endsSince >= stillNanos();
  }

  /** How long the logs must not have grown before nothing more is expected. */
  private long stillNanos() {
    long messages = expected.getAsLong();
    if (copies) {
      return lostNanos; // a program between two topics may pause as a broker does
    }
    if (messages == 0) {
      return SETTLED_NANOS;
    }
    return inLogs() >= messages ? 0 : lostNanos;
  }

  /** Whether every group has received or committed all between some offsets. */
  boolean readUpTo(Map<String, long[]> starts, Map<String, long[]> upTo) {
    if (interval.elapsed(READ_EVERY)) {
      read();
    }
    for (Map.Entry<String, GroupPlan> group : all.entrySet()) {
      String topic = group.getValue().topic();
      long[] received = read.get(group.getKey());
      long[] to = upTo.get(topic);
      for (int partition = 0; partition < to.length; partition++) {
        boolean empty = to[partition] == starts.get(topic)[partition];
        if (!empty && (received == null || received[partition] < to[partition])) {
          return false;
        }
      }
    }
    return true;
  }

  /** Groups that read each message, on average over topics. */
  double groupsPerTopic() {
    return (double) all.size() / topics.size();
  }

  /** Messages in all logs of the run, counted from offset 0, read now. */
  long appended() {
    read();
    return inLogs();
  }

  private long inLogs() {
    return ends.values().stream().flatMapToLong(Arrays::stream).sum();
  }

  /** Messages in the logs that some group has not received yet; a second old at most. */
  long backlog() {
    if (interval.elapsed(READ_BACKLOG_EVERY)) {
      read();
    }
    return backlog;
  }

  private void read() {
    known = unlessInterrupted(this::readAll);
  }

  private boolean readAll() {
    groups.forEach(this::report);
    Map<String, long[]> now = view.ends(topics).orElse(null);
    if (now == null) {
      return false;
    }
    if (!same(now)) {
      ends = now;
      endsSince = System.nanoTime();
    }
    long missing = 0;
    long unreadHere = 0;
    for (Map.Entry<String, GroupPlan> group : all.entrySet()) {
      long unread = unread(group.getKey(), group.getValue().topic());
      if (unread < 0) {
        return false;
      }
      missing += unread;
      unreadHere += groups.stream().anyMatch(g -> g.id().equals(group.getKey())) ? unread : 0;
    }
    backlog = missing;
    ownBacklog = unreadHere;
    return true;
  }

  /** What a group has committed may be as old as its commit interval, so positions are reported. */
  private void report(ConsumerGroup group) {
    if (group.share() || group.consumers().size() == all.get(group.id()).consumers()) {
      return;
    }
    Map<Integer, Long> positions = new HashMap<>();
    for (ConsumerWorker consumer : group.consumers()) {
      consumer
          .readyPartitions()
          .forEach(partition -> positions.put(partition, consumer.position(partition)));
    }
    agreement.report(group.id(), positions);
  }

  /** Messages that a group has not received; −1 where the brokers do not answer. */
  private long unread(String group, String topic) {
    long[] upTo = view.committed(group, topic, topics.get(topic)).orElse(null);
    if (upTo == null) {
      return -1;
    }
    Map<Integer, Long> reported = agreement.positions(group);
    Optional<ConsumerGroup> here = groups.stream().filter(g -> g.id().equals(group)).findFirst();
    long[] end = ends.get(topic);
    long missing = 0;
    for (int partition = 0; partition < end.length; partition++) {
      int number = partition;
      long received = here.map(g -> g.receivedUpTo(number)).orElse(0L);
      received = Math.max(received, reported.getOrDefault(partition, 0L));
      upTo[partition] = Math.max(upTo[partition], received);
      missing += Math.max(0, end[partition] - upTo[partition]);
    }
    read.put(group, upTo);
    return missing;
  }

  private boolean same(Map<String, long[]> now) {
    return now.keySet().equals(ends.keySet())
        && now.entrySet().stream()
            .allMatch(topic -> Arrays.equals(topic.getValue(), ends.get(topic.getKey())));
  }

  /** An interruption is left for the wait that follows to notice. */
  private static boolean unlessInterrupted(BooleanSupplier question) {
    return !Thread.currentThread().isInterrupted() && question.getAsBoolean();
  }
}
