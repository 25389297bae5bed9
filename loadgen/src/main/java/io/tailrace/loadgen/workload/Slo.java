// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.contract.Stage;
import io.tailrace.loadgen.workload.Slo.SloSpec.Direction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;

/** The bounds that decide the exit code. */
public final class Slo {
  /**
   * One bound that decides the exit code, judged from stored rows of the measure phase.
   *
   * @param key as in the file: {@code endToEnd.p99}, {@code publish.max}, {@code consumed}, …
   * @param direction which side of {@code value} is good
   * @param value µs for latencies and {@code backlogDrain}, messages per second for rates, a share
   *     for {@code errorRate}, {@code saturated} and {@code stolen}, 1 for {@code steady} and
   *     {@code fit}, a count for {@code lost} and {@code duplicates}
   */
  public record SloSpec(String key, Direction direction, double value, String text) {
    /** Which side of the value is good, the value itself included. */
    public enum Direction {
      AT_MOST,
      AT_LEAST
    }
  }

  private static final List<String> QUANTILES =
      List.of("p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99", "max");
  private static final Kind<Long> MESSAGES = Kind.whole(0, 1L << 53);

  private static final List<Key<Duration>> LATENCIES = latencies();
  private static final Key<Quantities.Rate> PUBLISHED = rate("published", "messages published");
  private static final Key<Quantities.Rate> CONSUMED = rate("consumed", "messages received");
  private static final Key<Double> ERROR_RATE =
      Key.below("errorRate", Quantities.SHARE).means("share of sends that fail, at most");
  private static final Key<Long> LOST = Key.below("lost", MESSAGES).means("lost messages, at most");
  private static final Key<Long> DUPLICATES =
      Key.below("duplicates", MESSAGES).means("messages received twice, at most");
  private static final Key<Duration> BACKLOG_DRAIN =
      Key.below("backlogDrain", Quantities.TIME).means("time to drain the backlog, at most");

  private static final Key<Double> SATURATED =
      Key.below("saturated", Quantities.SHARE)
          .means(
              "share of seconds in which a host or the load generator used up its cores, at most");
  private static final Key<Double> STOLEN =
      Key.below("stolen", Quantities.SHARE).means("share of a host's CPU time stolen, at most");
  private static final Key<Boolean> STEADY =
      Key.below("steady", Kind.FLAG).means("whether the warm-up must have become steady");
  private static final Key<Boolean> FIT =
      Key.below("fit", Kind.FLAG).means("whether the host must have passed its fitness check");

  private static final List<Key<?>> BOUNDS =
      Key.all(
          List.copyOf(LATENCIES),
          List.of(PUBLISHED, CONSUMED, ERROR_RATE, LOST, DUPLICATES, BACKLOG_DRAIN),
          List.of(SATURATED, STOLEN, STEADY, FIT));

  private static final Key<Fields> SLO =
      Key.own("slo", Kind.mapping(BOUNDS).atLeastOneKey())
          .means("bounds that decide the exit code");

  static final List<Key<?>> KEYS = List.of(SLO);

  private Slo() {}

  private static List<Key<Duration>> latencies() {
    List<Key<Duration>> keys = new ArrayList<>();
    for (Stage stage : Stage.values()) {
      for (String quantile : QUANTILES) {
        keys.add(
            Key.below(Kind.Labelled.camelCase(stage.stageName()) + "." + quantile, Quantities.TIME)
                .means("at most"));
      }
    }
    return keys;
  }

  private static Key<Quantities.Rate> rate(String name, String what) {
    return Key.below(name, Quantities.RATE).means(what + " per second, at least");
  }

  static List<SloSpec> read(Fields fields, double meanBytes) {
    Optional<Fields> section = fields.read(SLO);
    if (section.isEmpty()) {
      return List.of();
    }
    Fields slo = section.get();
    if (slo.names().isEmpty()) {
      fields.add(SLO, "has no bound", "add endToEnd.p99: 50ms");
    }
    List<SloSpec> bounds = new ArrayList<>();
    for (String name : slo.names()) {
      BOUNDS.stream()
          .filter(key -> key.name().equals(name))
          .findFirst()
          .ifPresent(
              key ->
                  value(slo, key, meanBytes)
                      .ifPresent(value -> bounds.add(bound(slo, key, value))));
    }
    return bounds;
  }

  private static OptionalDouble value(Fields slo, Key<?> key, double meanBytes) {
    if (key == PUBLISHED) {
      return slo.messagesPerSecond(PUBLISHED, meanBytes);
    }
    if (key == CONSUMED) {
      return slo.messagesPerSecond(CONSUMED, meanBytes);
    }
    Optional<Double> value =
        slo.read(key)
            .map(
                read ->
                    read instanceof Duration duration
                        ? duration.toNanos() / 1e3
                        : read instanceof Boolean required
                            ? (required ? 1 : 0)
                            : ((Number) read).doubleValue());
    return value.map(OptionalDouble::of).orElse(OptionalDouble.empty());
  }

  private static SloSpec bound(Fields slo, Key<?> key, double value) {
    boolean atLeast = key == PUBLISHED || key == CONSUMED || key == STEADY || key == FIT;
    YamlNode node = slo.value(key).orElseThrow();
    String text = node instanceof YamlNode.Text written ? written.value() : node.describe();
    Direction direction = atLeast ? Direction.AT_LEAST : Direction.AT_MOST;
    return new SloSpec(key.name(), direction, value, text);
  }

  static void check(Workload workload, Fields fields) {
    boolean drain = workload.slo().stream().anyMatch(bound -> is(bound, BACKLOG_DRAIN));
    if (drain && workload.phases().backlog().isEmpty()) {
      fields.add(SLO, "backlogDrain without a backlog", "add backlog: {bytes: 10GiB}");
    }
    Fields slo = fields.read(SLO).orElse(null);
    boolean steady = workload.slo().stream().anyMatch(bound -> is(bound, STEADY));
    if (steady && workload.phases().steadyWithin().isEmpty()) {
      slo.add(STEADY, "the warm-up has a fixed length", "add warmupUntilSteady: 5m");
    }
    for (SloSpec bound : workload.slo()) {
      if ((is(bound, PUBLISHED, ERROR_RATE) || bound.key().startsWith("publish"))
          && Topics.withoutProducers(workload, fields)) {
        slo.add(bound.key(), Topics.NO_PRODUCER, Topics.ADD_PRODUCER);
      }
      if ((is(bound, CONSUMED, LOST, DUPLICATES) || bound.key().startsWith("endToEnd"))
          && Topics.withoutGroups(workload, fields)) {
        slo.add(bound.key(), Topics.NO_GROUP, Topics.ADD_GROUP);
      }
    }
  }

  private static boolean is(SloSpec bound, Key<?>... keys) {
    return Key.names(List.of(keys)).contains(bound.key());
  }
}
