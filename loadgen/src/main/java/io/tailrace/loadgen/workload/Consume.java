// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Consume.ConsumeSpec.Groups;
import io.tailrace.loadgen.workload.Consume.ConsumeSpec.Processing;
import io.tailrace.loadgen.workload.Consume.ConsumeSpec.Threads;
import io.tailrace.loadgen.workload.Phases.PhasesSpec;
import io.tailrace.loadgen.workload.Rate.RateSpec.Pacing;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** How consumers work. */
public final class Consume {
  /**
   * How consumers work.
   *
   * @param threads the threads that handle what a poll returned
   * @param threadCount threads of {@link Threads#POOL}, for each consumer; else 0
   * @param delay how long consumption is held back; proposed to OMB
   * @param warmupReads how many times all is read to its end, unrecorded, before the run begins
   * @param releaseRatio share of messages that a share group's members release, to receive them
   *     again; 0 to 1
   */
  public record ConsumeSpec(
      Groups groups,
      Threads threads,
      int threadCount,
      Optional<Processing> processing,
      Duration delay,
      int warmupReads,
      double releaseRatio) {
    /** Members that release nothing. */
    public ConsumeSpec(
        Groups groups,
        Threads threads,
        int threadCount,
        Optional<Processing> processing,
        Duration delay,
        int warmupReads) {
      this(groups, threads, threadCount, processing, delay, warmupReads, 0);
    }

    public enum Groups implements Kind.Labelled {
      CONSUMER,
      SHARE
    }

    /** The threads that read the header of each message, record it and simulate work. */
    public enum Threads implements Kind.Labelled {
      /** The thread that polls. */
      ONE,
      /** One thread for each assigned partition. */
      PER_PARTITION,
      /** A fixed number of threads that compete for messages. */
      POOL
    }

    /**
     * Simulated work per message: the handling thread waits.
     *
     * @param mean mean time, above 0
     * @param exponential whether times are exponentially distributed, from the random seed, rather
     *     than equal
     */
    public record Processing(Duration mean, boolean exponential) {}
  }

  private record ThreadSpec(Threads threads, int pool) {}

  private static final Key<Integer> POOL =
      Key.below("pool", Kind.count(1, 1_000)).means("threads of each consumer").asRequired();
  private static final Key<Duration> MEAN =
      Key.below("mean", Quantities.SOME_TIME).means("mean time").asRequired();
  private static final Key<Boolean> DISTRIBUTION =
      Key.below("distribution", Kind.choice("constant", false, "exponential", true))
          .means("default constant");

  private static final Key<Groups> TYPE =
      Key.own("consumerType", Kind.choice("group", Groups.CONSUMER, "share", Groups.SHARE))
          .means("consumer groups or share groups; default group");
  private static final Key<Integer> DELAY =
      Key.of(
              "consumeDelaySeconds",
              Kind.count(0, (int) Quantities.LONGEST.toSeconds()),
              Dialect.OMB)
          .means("how long after the load consumption starts; default 0");
  private static final Key<ThreadSpec> THREADS =
      Key.own(
              "consumerThreads",
              Kind.either(
                  Kind.choice(Threads.ONE, Threads.PER_PARTITION)
                      .map(threads -> new ThreadSpec(threads, 0)),
                  YamlNode.Mapping.class,
                  Kind.mapping(List.of(POOL))
                      .map(keys -> new ThreadSpec(Threads.POOL, keys.required(POOL).orElse(1)))))
          .means(
              "threads that handle what a poll returned: the polling one, one per assigned partition,"
                  + " or a pool; default one");
  private static final Key<Processing> PROCESSING =
      Key.own(
              "processingTime",
              Kind.either(
                  Quantities.SOME_TIME.map(mean -> new Processing(mean, false)),
                  YamlNode.Mapping.class,
                  Kind.mapping(List.of(MEAN, DISTRIBUTION)).map(Consume::processing)))
          .means("simulated work per message; default none");
  static final Key<Integer> WARMUP_READS =
      Key.own("warmupReads", Kind.count(0, 100))
          .means(
              "how many times all is read to its end, unrecorded, before the run begins; default 0");

  private static final Key<Double> RELEASE_RATIO =
      Key.own("releaseRatio", Quantities.SHARE)
          .means("share of messages that members of a share group release again; default 0");

  static final List<Key<?>> KEYS =
      List.of(TYPE, THREADS, PROCESSING, DELAY, WARMUP_READS, RELEASE_RATIO);

  private Consume() {}

  private static Processing processing(Fields keys) {
    Duration mean = keys.required(MEAN).orElse(Duration.ofMillis(1));
    return new Processing(mean, keys.read(DISTRIBUTION).orElse(false));
  }

  static ConsumeSpec read(Fields fields) {
    Groups groups = fields.read(TYPE).orElse(Groups.CONSUMER);
    ThreadSpec spec = fields.read(THREADS).orElse(new ThreadSpec(Threads.ONE, 0));
    if (groups == Groups.SHARE && spec.threads == Threads.PER_PARTITION) {
      String what = "members of share groups own no partitions";
      fields.add(THREADS, what, "write {pool: N} or one");
    }
    return new ConsumeSpec(
        groups,
        spec.threads,
        spec.pool,
        fields.read(PROCESSING),
        Duration.ofSeconds(fields.read(DELAY).orElse(0)),
        fields.read(WARMUP_READS).orElse(0),
        fields.read(RELEASE_RATIO).orElse(0.0));
  }

  static void check(Workload workload, Fields fields) {
    ConsumeSpec consume = workload.behaviour().consume();
    boolean readToEnd = workload.behaviour().readToEnd();
    if (readToEnd && consume.groups() == Groups.SHARE) {
      fields.add(Behaviour.READ_TO_END, "a share group has no position", "set consumerType: group");
    }
    if (consume.warmupReads() > 0 && !readToEnd) {
      String remedy = "add readToEnd: true, or remove it";
      fields.add(WARMUP_READS, "has an effect only with readToEnd", remedy);
    }
    if (consume.releaseRatio() > 0 && consume.groups() != Groups.SHARE) {
      String remedy = "set consumerType: share, or remove it";
      fields.add(RELEASE_RATIO, "only members of share groups release messages", remedy);
    }
    if (!consume.delay().isZero()) {
      checkDelay(workload, fields);
    }
    if (consume.groups() == Groups.SHARE) {
      Topics.refuseWithoutGroups(workload, fields, TYPE);
    }
    if (consume.threads() != Threads.ONE) {
      Topics.refuseWithoutGroups(workload, fields, THREADS);
    }
    if (consume.processing().isPresent()) {
      Topics.refuseWithoutGroups(workload, fields, PROCESSING);
    }
  }

  private static void checkDelay(Workload workload, Fields fields) {
    Behaviour behaviour = workload.behaviour();
    if (behaviour.consume().groups() == Groups.SHARE) {
      refuseUnpausable(fields, DELAY);
    }
    if (behaviour.rate().pacing() == Pacing.DISCOVER) {
      String what = "a search for the rate needs its consumers";
      fields.addUnlessBad(DELAY, what, "set a rate, or remove it");
    }
    Topics.refuseWithoutGroups(workload, fields, DELAY);
    PhasesSpec phases = workload.phases();
    boolean bounded = behaviour.messages().isPresent() || behaviour.readToEnd();
    boolean timed = !bounded && phases.fill().isEmpty() && phases.backlog().isEmpty();
    Duration load =
        phases.warmup().plus(phases.settle()).plus(phases.measure()).plus(phases.cooldown());
    if (timed && behaviour.consume().delay().compareTo(load) >= 0) {
      String what = "is as long as the whole load of " + load.toSeconds() + " s";
      fields.addUnlessBad(DELAY, what, "make it shorter");
    }
  }

  /** Members of a share group cannot pause, and no offset shows their position. */
  static void refuseUnpausable(Fields fields, Key<?> key) {
    String remedy = "set consumerType: group, or remove it";
    fields.addUnlessBad(key, "a share group cannot be paused", remedy);
  }
}
