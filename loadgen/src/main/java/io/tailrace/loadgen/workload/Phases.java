// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Backlog.BacklogSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;

/** The phases of a run. */
public final class Phases {
  /**
   * The phases of a run, as the file states them.
   *
   * @param warmup length of the warm-up, which may be zero
   * @param steadyWithin the longest warm-up, which goes on from {@code warmup} until it is steady;
   *     empty for a warm-up of fixed length
   * @param warmupRate messages per second in the warm-up; empty for the rate of the measure phase
   * @param settle time at the measure phase's rate between warm-up and what follows; may be zero
   * @param fill a wait until retention has been reached, before anything is measured
   * @param measure length of the measure phase, above zero; a limit when the volume is bounded
   * @param cooldown time at the measure phase's rate after everything else; may be zero
   * @param drainTimeout longest wait for consumers after the last message
   */
  public record PhasesSpec(
      Duration warmup,
      Optional<Duration> steadyWithin,
      OptionalDouble warmupRate,
      Duration settle,
      Optional<Fill> fill,
      Duration measure,
      Optional<BacklogSpec> backlog,
      Duration cooldown,
      Duration drainTimeout) {
    /**
     * Load until the log start offset of every partition has advanced.
     *
     * @param timeout longest time to wait for that
     * @param rate messages per second meanwhile; empty for the rate of the measure phase
     */
    public record Fill(Duration timeout, OptionalDouble rate) {}
  }

  private static final Duration FILL_TIMEOUT = Duration.ofHours(24);
  private static final Duration DRAIN_TIMEOUT = Duration.ofSeconds(30);
  private static final int MOST_MINUTES = (int) Quantities.LONGEST.toMinutes();
  private static final Kind<Duration> MINUTES =
      Kind.count(0, MOST_MINUTES).map(Duration::ofMinutes);

  static final Key<Duration> WARMUP_DURATION =
      Key.own("warmupDuration", Quantities.TIME)
          .means("default 1m; 30m in redpanda and vanlightly");
  static final Key<Duration> WARMUP_DURATION_MINUTES =
      Key.omb("warmupDurationMinutes", MINUTES).means("OMB's form of warmupDuration");
  private static final Key<Duration> WARMUP_UNTIL_STEADY =
      Key.own("warmupUntilSteady", Quantities.SOME_TIME)
          .means(
              "longest warm-up; it ends when latency and CPU per message no longer move, after"
                  + " warmupDuration at the least; default: a fixed warmupDuration");
  private static final Key<Quantities.Rate> WARMUP_RATE =
      Key.own("warmupRate", Quantities.RATE)
          .means("rate in the warm-up; default: the measured rate");
  private static final Key<Quantities.Rate> WARMUP_PRODUCER_RATE =
      Key.of("warmupProducerRate", Quantities.RATE_OR_OFF, Dialect.VANLIGHTLY)
          .means("the fork's form of warmupRate; -1 for the measured rate");
  private static final Key<Integer> SETTLE =
      Key.of(
              "warmupProducerRateSeparationMinutes",
              Kind.count(-1, MOST_MINUTES),
              Dialect.VANLIGHTLY)
          .means("time at the measured rate before anything is measured");
  private static final Key<Boolean> MEASURE_AFTER =
      Key.own("measureAfter", Kind.choice("warmup", false, "retentionReached", true))
          .means(
              "retentionReached: when retention has removed messages on every partition; default"
                  + " warmup");
  private static final Key<Duration> FILL_LIMIT =
      Key.below("timeout", Quantities.SOME_TIME).means("longest wait; default 24h");
  private static final Key<Quantities.Rate> FILL_RATE =
      Key.below("rate", Quantities.RATE).means("rate meanwhile; default: the measured rate");
  private static final Key<Fields> RETENTION_FILL =
      Key.own("retentionFill", Kind.mapping(List.of(FILL_LIMIT, FILL_RATE)))
          .means("the wait of measureAfter: retentionReached");
  private static final Key<Duration> TEST_DURATION =
      Key.own("testDuration", Quantities.SOME_TIME).means("length of the measure phase");
  private static final Key<Duration> TEST_DURATION_MINUTES =
      Key.omb("testDurationMinutes", MINUTES)
          .means("OMB's form of testDuration; 0: until the user ends it");
  private static final Key<Duration> COOLDOWN =
      Key.own("cooldownDuration", Quantities.TIME)
          .means("time at the measured rate after everything else; default 0s");
  private static final Key<Duration> DRAIN =
      Key.own("drainTimeout", Quantities.TIME)
          .means("longest wait for consumers after the last message; default 30s");

  static final List<Key<?>> KEYS =
      Key.all(
          List.of(
              WARMUP_DURATION,
              WARMUP_DURATION_MINUTES,
              WARMUP_UNTIL_STEADY,
              WARMUP_RATE,
              WARMUP_PRODUCER_RATE,
              SETTLE,
              MEASURE_AFTER,
              RETENTION_FILL,
              TEST_DURATION,
              TEST_DURATION_MINUTES),
          Backlog.KEYS,
          List.of(COOLDOWN, DRAIN));

  private Phases() {}

  static PhasesSpec read(
      Fields fields, Dialect dialect, double meanBytes, boolean volumeEnds, List<String> notes) {
    return new PhasesSpec(
        length(fields, WARMUP_DURATION, WARMUP_DURATION_MINUTES).orElse(dialect.warmup()),
        fields.read(WARMUP_UNTIL_STEADY),
        warmupRate(fields, meanBytes),
        Duration.ofMinutes(Math.max(0, fields.read(SETTLE).orElse(0))),
        fill(fields, meanBytes),
        measure(fields, volumeEnds),
        Backlog.read(fields, dialect, meanBytes, notes),
        fields.read(COOLDOWN).orElse(Duration.ZERO),
        fields.read(DRAIN).orElse(DRAIN_TIMEOUT));
  }

  /** Tailrace's duration or OMB's whole minutes. */
  private static Optional<Duration> length(
      Fields fields, Key<Duration> own, Key<Duration> inMinutes) {
    fields.refuseBeside(own, inMinutes);
    Optional<Duration> length = fields.read(own);
    return fields.has(inMinutes) ? fields.read(inMinutes) : length;
  }

  private static OptionalDouble warmupRate(Fields fields, double meanBytes) {
    fields.refuseBeside(WARMUP_RATE, WARMUP_PRODUCER_RATE);
    OptionalDouble own = fields.messagesPerSecond(WARMUP_RATE, meanBytes);
    OptionalDouble vanlightlys = fields.messagesPerSecond(WARMUP_PRODUCER_RATE, meanBytes);
    return own.isPresent() ? own : vanlightlys;
  }

  private static Duration measure(Fields fields, boolean volumeEnds) {
    if (!volumeEnds && !fields.has(TEST_DURATION) && !fields.has(TEST_DURATION_MINUTES)) {
      String remedy = "add testDuration: 60s or testDurationMinutes: N";
      fields.add(TEST_DURATION, "missing", remedy);
    }
    return length(fields, TEST_DURATION, TEST_DURATION_MINUTES)
        .filter(length -> !length.isZero())
        .orElse(Quantities.LONGEST);
  }

  private static Optional<PhasesSpec.Fill> fill(Fields fields, double meanBytes) {
    boolean required = fields.read(MEASURE_AFTER).orElse(false);
    Optional<Fields> section = fields.read(RETENTION_FILL);
    if (section.isPresent() && !required && !fields.isBad(MEASURE_AFTER)) {
      String what = "has an effect only with measureAfter: retentionReached";
      fields.add(RETENTION_FILL, what, "add that or remove this");
    }
    Duration timeout = section.flatMap(keys -> keys.read(FILL_LIMIT)).orElse(FILL_TIMEOUT);
    OptionalDouble rate =
        section
            .map(keys -> keys.messagesPerSecond(FILL_RATE, meanBytes))
            .orElse(OptionalDouble.empty());
    return required ? Optional.of(new PhasesSpec.Fill(timeout, rate)) : Optional.empty();
  }

  static void check(Workload workload, Fields fields) {
    if (workload.phases().fill().isPresent() && !workload.produces()) {
      fields.add(MEASURE_AFTER, "no topic has a producer", "add a producer, or remove it");
    }
    Topics.refuseWithoutProducers(workload, fields, WARMUP_RATE);
    Topics.refuseWithoutProducers(workload, fields, WARMUP_UNTIL_STEADY);
    checkSteady(workload, fields);
    Backlog.check(workload, fields);
  }

  private static void checkSteady(Workload workload, Fields fields) {
    PhasesSpec phases = workload.phases();
    if (phases.steadyWithin().filter(most -> most.compareTo(phases.warmup()) <= 0).isPresent()) {
      String least = phases.warmup().toSeconds() + " s, which is the least";
      fields.addUnlessBad(
          WARMUP_UNTIL_STEADY, "is not longer than warmupDuration, " + least, "make it longer");
    }
    if (phases.steadyWithin().isPresent()
        && workload.behaviour().rate().pacing() == Rate.RateSpec.Pacing.DISCOVER) {
      String what = "a search for the rate is never steady";
      fields.addUnlessBad(WARMUP_UNTIL_STEADY, what, "set a rate, or remove it");
    }
  }

  /** Refuses to wait for retention where the driver's topics keep everything. */
  static void checkDriver(Workload workload, Driver driver, Fields fields) {
    if (workload.phases().fill().isEmpty()) {
      return;
    }
    Map<String, String> topic = driver.topicConfig();
    String policy = topic.getOrDefault("cleanup.policy", "delete");
    boolean endless =
        ClientConfig.number(topic, "retention.ms").orElse(0) == -1
            && ClientConfig.number(topic, "retention.bytes").orElse(-1) == -1;
    if (!policy.contains("delete") || endless) {
      String setting = endless ? "retention.ms=-1" : "cleanup.policy=" + policy;
      String what = "the driver's topicConfig removes nothing: " + setting;
      String remedy = "set retention.bytes or retention.ms there, or remove it";
      fields.add(MEASURE_AFTER, what, remedy);
    }
  }
}
