// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/**
 * Ways of working that exclude each other: what a share group cannot do, what a search for a rate
 * needs, and keys that change nothing because nobody writes, or nobody reads.
 */
final class ModeConflicts {
  /** Shorter than this a search cannot judge a single rate. */
  static final Duration LEAST_SEARCH = Duration.ofSeconds(4);

  private static final Set<String> OF_WRITERS = Set.of("published", "errorRate");
  private static final Set<String> OF_READERS = Set.of("consumed", "lost", "duplicates");
  private static final String RATE = "producerRate";
  private static final String DELAY = "consumeDelaySeconds";
  private static final String NOBODY_WRITES = "nobody writes";
  private static final String ADD_PRODUCER = "add a producer, or remove it";
  private static final String NOBODY_READS = "nobody reads";
  private static final String ADD_SUBSCRIPTION = "add a subscription, or remove it";

  private final Workload workload;
  private final Behaviour behaviour;
  private final Fields fields;
  private final boolean produces;
  private final boolean consumes;

  private ModeConflicts(Workload workload, Fields fields) {
    this.workload = workload;
    this.behaviour = workload.behaviour();
    this.fields = fields;
    this.produces = any(topic -> topic.producers() > 0) || fields.isBad("producersPerTopic");
    this.consumes =
        any(topic -> topic.subscriptions() > 0) || fields.isBad("subscriptionsPerTopic");
  }

  static void check(Workload workload, Fields fields) {
    ModeConflicts conflicts = new ModeConflicts(workload, fields);
    conflicts.shareGroups();
    conflicts.search();
    conflicts.withoutSchedule();
    conflicts.nobodyWrites();
    conflicts.nobodyReads();
    conflicts.delay();
    conflicts.tracing();
  }

  /** Its members cannot pause, and where they are no offset tells. */
  private void shareGroups() {
    if (behaviour.consume().groups() != ConsumeSpec.Groups.SHARE) {
      return;
    }
    String remedy = "set consumerType: group, or remove it";
    if (workload.phases().backlog().isPresent()) {
      add(backlogKey(), "a share group cannot be paused", remedy);
    }
    if (delayed()) {
      add(DELAY, "a share group cannot be paused", remedy);
    }
  }

  private void search() {
    if (behaviour.rate().pacing() != RateSpec.Pacing.DISCOVER) {
      return;
    }
    PhasesSpec phases = workload.phases();
    Duration searching = phases.warmupRate().isPresent() ? Duration.ZERO : phases.warmup();
    if (searching.plus(phases.settle()).compareTo(LEAST_SEARCH) < 0) {
      String what = "is searched for in the warm-up, and that has no time for it";
      add(RATE, what, "set warmupDuration: 60s without a rate of its own, or set a rate");
    }
    if (delayed()) {
      add(DELAY, "a search for the rate needs its consumers", "set a rate, or remove it");
    }
  }

  private void withoutSchedule() {
    boolean unscheduled = behaviour.rate().pacing() == RateSpec.Pacing.UNLIMITED;
    if (unscheduled && behaviour.abortWhen().filter(a -> !a.behind().isZero()).isPresent()) {
      below("abortWhen", BehaviourReader.ABORT_KEYS, "behind", "nothing is due at rate max");
    }
  }

  private void nobodyWrites() {
    if (produces) {
      return;
    }
    unused("arrivals", behaviour.arrivals().pattern() != ArrivalSpec.Pattern.CONSTANT, true);
    unused("keys", behaviour.keys().choice() != KeySpec.Choice.NONE, true);
    unused("headers", !behaviour.headers().isEmpty(), true);
    unused("traceOneIn", behaviour.traceOneIn() > 0, true);
    unused("warmupRate", true, true);
    unused("rateCurve", true, true);
    unused("abortWhen", behaviour.abortWhen().isPresent(), true);
    bounds(OF_WRITERS, "publish", NOBODY_WRITES, ADD_PRODUCER);
  }

  private void nobodyReads() {
    if (consumes) {
      return;
    }
    ConsumeSpec consume = behaviour.consume();
    unused("consumerType", consume.groups() == ConsumeSpec.Groups.SHARE, false);
    unused("consumerThreads", consume.threads() != ConsumeSpec.Threads.ONE, false);
    unused("processingTime", consume.processing().isPresent(), false);
    unused(DELAY, delayed(), false);
    bounds(OF_READERS, "endToEnd", NOBODY_READS, ADD_SUBSCRIPTION);
  }

  private void delay() {
    PhasesSpec phases = workload.phases();
    boolean bounded = behaviour.messages().isPresent() || behaviour.readToEnd();
    Duration load =
        phases.warmup().plus(phases.settle()).plus(phases.measure()).plus(phases.cooldown());
    boolean timed = !bounded && phases.fill().isEmpty() && phases.backlog().isEmpty();
    if (timed && behaviour.consume().delay().compareTo(load) >= 0) {
      add(DELAY, "as long as the whole load of " + load.toSeconds() + " s", "make it shorter");
    }
  }

  private void tracing() {
    if (behaviour.traceOneIn() > 0 && behaviour.headers().containsKey("traceparent")) {
      below("headers", Set.of(), "traceparent", "traceOneIn sets this header");
    }
  }

  /** Bounds on what is not measured would be broken whatever happens. */
  private void bounds(Set<String> keys, String stages, String what, String remedy) {
    for (SloSpec bound : workload.slo()) {
      if (keys.contains(bound.key()) || bound.key().startsWith(stages)) {
        fields.section("slo", SloReader.keys()).ifPresent(s -> s.add(bound.key(), what, remedy));
      }
    }
  }

  private void unused(String key, boolean set, boolean written) {
    if (set && fields.has(key)) {
      String what = written ? NOBODY_WRITES : NOBODY_READS;
      add(key, what, written ? ADD_PRODUCER : ADD_SUBSCRIPTION);
    }
  }

  private void below(String key, Set<String> known, String own, String what) {
    fields.section(key, known).ifPresent(section -> section.add(own, what, "remove it"));
  }

  /** One that is wrong already is not judged again. */
  private void add(String key, String what, String remedy) {
    if (!fields.isBad(key)) {
      fields.add(key, what, remedy);
    }
  }

  private boolean delayed() {
    return !behaviour.consume().delay().isZero();
  }

  private String backlogKey() {
    return List.of("backlog", "consumerBacklogSizeGB").stream()
        .filter(fields::has)
        .findFirst()
        .orElse("backlog");
  }

  private boolean any(Predicate<TopicSpec> predicate) {
    return workload.topics().stream().anyMatch(predicate);
  }
}
