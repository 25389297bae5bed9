// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import io.tailrace.loadgen.kafka.ConsumerWorker;
import io.tailrace.loadgen.kafka.GroupsView;
import io.tailrace.loadgen.plan.Plan.GroupPlan;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The consumer groups of a run of several workers. Nobody tells the workers about each other: each
 * reads from the brokers what all of them together have done. A lone worker does so too where no
 * acknowledgement tells what is in the logs. For one thread.
 */
final class SharedGroups {
  private static final long READ_EVERY_NANOS = Duration.ofMillis(500).toNanos();
  private static final long LOOK_EVERY_NANOS = Duration.ofSeconds(1).toNanos();
  // Programs that start side by side on busy cores are ready at quite different times.
  private static final long OTHERS_NANOS = Duration.ofSeconds(10).toNanos();
  // Longer than any pause between two messages of a worker that still catches up.
  private static final long SETTLED_NANOS = Duration.ofSeconds(2).toNanos();
  // Longer than any stall of a broker that still has messages in its sockets.
  private static final long LOST_NANOS = Duration.ofSeconds(10).toNanos();

  private final GroupsView view;
  private final List<ConsumerGroup> groups;
  private final Map<String, GroupPlan> all;
  private final Map<String, Integer> topics;
  private final LongSupplier sent;
  private final long lostNanos;
  private final Map<String, long[]> read = new HashMap<>();
  private Map<String, long[]> ends = Map.of();
  private long endsSince = System.nanoTime();
  private long readAt = System.nanoTime() - LOOK_EVERY_NANOS;
  private long backlog;
  private long own;
  private boolean known;
  private boolean ready;
  private boolean complete;
  private long assignedSince = Long.MAX_VALUE;

  /**
   * @param groups the groups that this worker has consumers in
   * @param all every group of the run, by its id
   * @param topics partitions of the run's topics
   * @param sent messages that the logs should hold, when nothing more is sent; 0 for not known
   * @param drainTimeout how long it is waited for at most that all is received
   */
  SharedGroups(
      GroupsView view,
      List<ConsumerGroup> groups,
      Map<String, GroupPlan> all,
      Map<String, Integer> topics,
      LongSupplier sent,
      Duration drainTimeout) {
    this.view = view;
    this.groups = groups;
    this.all = all;
    this.topics = topics;
    this.sent = sent;
    this.lostNanos = Math.min(LOST_NANOS, drainTimeout.toNanos() / 2);
  }

  /**
   * Whether in every group all partitions are assigned, whoever has them, and this worker's
   * consumers know their positions in theirs. Who probed before the others have come would receive
   * its messages again when they do, so it waits for them, but not for ever: one may never come.
   */
  boolean ready() {
    if (due(READ_EVERY_NANOS)) {
      complete = true;
      boolean assigned = asked(() -> groups.stream().allMatch(this::ready));
      assignedSince = assigned ? Math.min(assignedSince, System.nanoTime()) : Long.MAX_VALUE;
      ready = assigned && (complete || System.nanoTime() - assignedSince > OTHERS_NANOS);
    }
    return ready;
  }

  private boolean ready(ConsumerGroup group) {
    if (group.share() && group.held()) {
      return true; // it joins when the load begins
    }
    Map<String, Set<Integer>> members = interruptibly(() -> view.members(group.id())).orElse(null);
    if (members == null) {
      return false;
    }
    complete &= members.size() >= all.get(group.id()).consumers();
    BitSet assigned = new BitSet(group.partitions());
    members.values().forEach(of -> of.forEach(assigned::set));
    for (ConsumerWorker consumer : group.share() ? List.<ConsumerWorker>of() : group.consumers()) {
      if (!consumer.readyPartitions().equals(members.get(consumer.clientId()))) {
        return false;
      }
    }
    return assigned.cardinality() == group.partitions();
  }

  /**
   * Whether the logs have stopped growing and every group that this worker is in has received all
   * that is in them. What another worker's consumers have received is known by what it tells and by
   * what their group has committed.
   */
  boolean drained() {
    if (due(READ_EVERY_NANOS)) {
      read();
    }
    return known
        && own == 0
        && groups.stream().allMatch(group -> group.open() == 0)
        && System.nanoTime() - endsSince >= stillNanos();
  }

  /** How long the logs must have stood still for nothing more to be expected. */
  private long stillNanos() {
    long expected = sent.getAsLong();
    if (expected == 0) {
      return SETTLED_NANOS;
    }
    return inLogs() >= expected ? 0 : lostNanos;
  }

  /**
   * Whether every group of the run has received, or committed, all up to some offsets.
   *
   * @param starts where logs begin: a partition without messages has nothing to receive
   */
  boolean readUpTo(Map<String, long[]> starts, Map<String, long[]> upTo) {
    if (due(READ_EVERY_NANOS)) {
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

  /** Messages in all logs of the run, from the first one ever on; fresh. */
  long appended() {
    read();
    return inLogs();
  }

  private long inLogs() {
    return ends.values().stream().flatMapToLong(Arrays::stream).sum();
  }

  /** Messages in the logs that some group has not received yet, as a second ago. */
  long backlog() {
    if (due(LOOK_EVERY_NANOS)) {
      read();
    }
    return backlog;
  }

  private void read() {
    known = asked(this::readAll);
  }

  private boolean readAll() {
    groups.forEach(this::tell);
    Map<String, long[]> now = interruptibly(() -> view.ends(topics)).orElse(null);
    if (now == null) {
      return false;
    }
    if (!same(now)) {
      ends = now;
      endsSince = System.nanoTime();
    }
    long missing = 0;
    long ofOwn = 0;
    for (Map.Entry<String, GroupPlan> group : all.entrySet()) {
      long unread = unread(group.getKey(), group.getValue().topic());
      if (unread < 0) {
        return false;
      }
      missing += unread;
      ofOwn += groups.stream().anyMatch(g -> g.id().equals(group.getKey())) ? unread : 0;
    }
    backlog = missing;
    own = ofOwn;
    return true;
  }

  /** Others cannot know otherwise what has been received since the group last committed. */
  private void tell(ConsumerGroup group) {
    if (group.consumers().size() < all.get(group.id()).consumers()) {
      Map<Integer, Long> positions = new HashMap<>();
      for (ConsumerWorker consumer : group.consumers()) {
        consumer
            .readyPartitions()
            .forEach(partition -> positions.put(partition, consumer.position(partition)));
      }
      view.tell(group.id(), group.topic(), positions);
    }
  }

  /** Messages that a group has not received; −1 where the brokers do not say. */
  private long unread(String group, String topic) {
    long[] upTo = interruptibly(() -> view.read(group, topic, topics.get(topic))).orElse(null);
    if (upTo == null) {
      return -1;
    }
    Optional<ConsumerGroup> here = groups.stream().filter(g -> g.id().equals(group)).findFirst();
    long[] end = ends.get(topic);
    long missing = 0;
    for (int partition = 0; partition < end.length; partition++) {
      int place = partition;
      long received = here.map(g -> g.receivedUpTo(place)).orElse(0L);
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

  private boolean due(long everyNanos) {
    long now = System.nanoTime();
    if (now - readAt < everyNanos) {
      return false;
    }
    readAt = now;
    return true;
  }

  /** An interruption is left for the wait that follows to notice. */
  private static boolean asked(BooleanSupplier question) {
    return !Thread.currentThread().isInterrupted() && question.getAsBoolean();
  }

  private interface Question<T> {
    Optional<T> ask() throws InterruptedException;
  }

  private static <T> Optional<T> interruptibly(Question<T> question) {
    try {
      return question.ask();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
