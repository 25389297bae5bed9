// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import io.tailrace.loadgen.plan.Plan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/**
 * Copies the messages of a run's topics to their copies, exactly once: several instances read a
 * topic in one group and write in transactions, which commit the group's offsets too.
 *
 * <p>It can replace an instance again and again: while the older one is in the middle of a
 * transaction, a newer one with its transactional id begins. The older one's transaction must not
 * commit.
 */
public final class TransformHop implements AutoCloseable {
  private static final Duration REQUEST = Duration.ofSeconds(10);
  private static final Duration REPLACED = Duration.ofSeconds(30);
  private static final long TICK_MILLIS = 20;
  private static final long LOOK_NANOS = Duration.ofSeconds(2).toNanos();

  /**
   * How it works.
   *
   * @param instances instances of each pair of topics
   * @param idle it ends after this time without a message, counted from the first one
   * @param replaceEvery how often an instance is replaced; zero for never
   * @param appear how long the topics may take to appear
   */
  public record Options(int instances, Duration idle, Duration replaceEvery, Duration appear) {}

  private final Plan plan;
  private final Options options;
  private final Map<String, String> sources;
  private final Admin admin;
  private final HopCounts counts = new HopCounts();
  private final List<HopInstance> instances = new ArrayList<>();
  private final List<HopInstance> replaced = new ArrayList<>();
  private volatile boolean stopped;

  /** Refuses a plan without copies. */
  public TransformHop(Plan plan, Options options) {
    this.plan = plan;
    this.options = options;
    this.sources =
        plan.topics().stream()
            .filter(topic -> topic.copyOf().isPresent())
            .collect(Collectors.toMap(Plan.TopicPlan::name, t -> t.copyOf().orElseThrow()));
    if (sources.isEmpty()) {
      throw new BadInputException(
          "--workload: no topic is a copy of another one; give one of them copyOf");
    }
    this.admin = Admin.create(new HashMap<>(plan.config().admin()));
  }

  /** Copies until it is stopped, the topics are deleted or no message has come for a while. */
  public HopCounts execute() throws InterruptedException {
    if (!awaitTopics()) {
      return counts;
    }
    for (Map.Entry<String, String> pair : sources.entrySet()) {
      for (int i = 0; i < options.instances(); i++) {
        instances.add(new HopInstance(plan, pair.getValue(), pair.getKey(), i, counts));
      }
    }
    instances.forEach(HopInstance::start);
    long nextReplacement = System.nanoTime() + options.replaceEvery().toNanos();
    long nextLook = System.nanoTime() + LOOK_NANOS;
    for (int turn = 0; !stopped && !counts.idleFor(options.idle()); ) {
      long now = System.nanoTime();
      if (!options.replaceEvery().isZero() && now - nextReplacement >= 0) {
        replace(turn++ % instances.size());
        nextReplacement = System.nanoTime() + options.replaceEvery().toNanos();
      }
      if (now - nextLook >= 0) {
        nextLook = now + LOOK_NANOS;
        stopped |= missing() == Topics.MISSING;
      }
      Thread.sleep(TICK_MILLIS);
    }
    end();
    return counts;
  }

  /** Ends it soon: transactions in progress are committed. */
  public void stop() {
    stopped = true;
  }

  private void end() throws InterruptedException {
    List<HopInstance> all = new ArrayList<>(instances);
    all.addAll(replaced);
    all.forEach(HopInstance::stop);
    for (HopInstance each : all) {
      each.awaitEnd();
    }
  }

  /** The newer instance begins in the middle of a transaction of the older one. */
  private void replace(int turn) throws InterruptedException {
    HopInstance older = instances.get(turn);
    older.pauseInTransaction();
    if (!await(REQUEST, older::paused)) {
      older.resume();
      return;
    }
    HopInstance newer = older.replacement();
    newer.start();
    await(REPLACED, newer::begun);
    if (newer.begun()) {
      older.replaced();
      replaced.removeIf(HopInstance::ended);
      replaced.add(older);
      instances.set(turn, newer);
    } else {
      newer.stop();
      replaced.add(newer);
    }
    older.resume();
  }

  private boolean await(Duration atMost, BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (!condition.getAsBoolean() && !stopped && System.nanoTime() - deadline < 0) {
      Thread.sleep(TICK_MILLIS);
    }
    return condition.getAsBoolean();
  }

  private boolean awaitTopics() throws InterruptedException {
    if (await(options.appear(), () -> missing() == Topics.PRESENT)) {
      return true;
    }
    if (!stopped) {
      throw new BadInputException(
          "topics "
              + String.join(", ", topics())
              + ": not all exist after "
              + options.appear().toSeconds()
              + " s; start the run, or correct their names");
    }
    return false;
  }

  private enum Topics {
    PRESENT,
    MISSING,
    UNKNOWN
  }

  private Topics missing() {
    try {
      admin.describeTopics(topics()).allTopicNames().get(REQUEST.toMillis(), TimeUnit.MILLISECONDS);
      return Topics.PRESENT;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Topics.UNKNOWN;
    } catch (ExecutionException | TimeoutException e) {
      boolean gone = e.getCause() instanceof UnknownTopicOrPartitionException;
      return gone ? Topics.MISSING : Topics.UNKNOWN;
    }
  }

  private Set<String> topics() {
    Set<String> all = new TreeSet<>(sources.keySet());
    all.addAll(sources.values());
    return all;
  }

  @Override
  public void close() {
    instances.forEach(HopInstance::stop);
    admin.close(REQUEST);
  }
}
