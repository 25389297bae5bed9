// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.Consume.ConsumeSpec.Groups;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** A backlog of unread messages: OMB's {@code consumerBacklogSizeGB} or {@code backlog}. */
public final class Backlog {
  /**
   * A backlog: consumers pause inside their group, producers go on; then consumers resume and drain
   * it under load. It is built when the first of the two sizes is reached, or after {@code
   * lasting}.
   *
   * @param bytes unread bytes summed over all groups, as OMB counts
   * @param messages unread messages summed over all groups
   * @param lasting how long consumers pause if neither size is reached before; zero for no limit
   *     but {@code buildTimeout}
   * @param buildRate messages per second while it builds; empty for the rate of the measure phase
   * @param buildTimeout longest time to reach a size; after that the phase ends without it
   * @param drainRatio share of the backlog that must be read for it to count as drained, above 0 to
   *     1; 1,000 messages may always be left
   * @param drainTimeout longest time to drain it; after that it counts as not drained
   * @param beforeMeasure whether it comes before the measure phase, as in OMB, rather than after it
   */
  public record BacklogSpec(
      OptionalLong bytes,
      OptionalLong messages,
      Duration lasting,
      OptionalDouble buildRate,
      Duration buildTimeout,
      double drainRatio,
      Duration drainTimeout,
      boolean beforeMeasure) {}

  private static final long GIB = 1L << 30;
  private static final Duration LIMIT = Duration.ofHours(24);

  private static final Key<Long> BYTES =
      Key.below("bytes", Quantities.bytes(1, Long.MAX_VALUE)).means("unread bytes over all groups");
  private static final Key<Long> MESSAGES =
      Key.below("messages", Kind.whole(1, Long.MAX_VALUE)).means("unread messages over all groups");
  private static final Key<Duration> LASTING =
      Key.below("lasting", Quantities.SOME_TIME).means("how long consumers pause");
  private static final Key<Quantities.Rate> BUILD_RATE =
      Key.below("buildRate", Quantities.RATE)
          .means("rate while it builds; default: the measured rate");
  private static final Key<Duration> BUILD_TIMEOUT =
      Key.below("buildTimeout", Quantities.SOME_TIME)
          .means("longest time to build it; default 24h");
  private static final Key<Double> DRAIN_RATIO =
      Key.below("drainRatio", Quantities.SHARE).means("share that must be read; default 1");
  private static final Key<Duration> DRAIN_TIMEOUT =
      Key.below("drainTimeout", Quantities.SOME_TIME)
          .means("longest time to drain it; default 24h");
  private static final Key<Boolean> WHEN =
      Key.below("when", Kind.choice("beforeMeasure", true, "afterMeasure", false))
          .means("default afterMeasure");

  private static final Key<Long> OMB =
      Key.omb("consumerBacklogSizeGB", Kind.whole(0, Long.MAX_VALUE / GIB))
          .means("GiB of unread messages over all groups, before the measure phase; default 0");
  private static final Key<Double> OMB_DRAIN_RATIO =
      Key.of("backlogDrainRatio", Kind.number(0, 1), Dialect.OMB, Dialect.AUTOMQ)
          .means("share of the backlog that must be read");
  private static final Key<Quantities.Rate> VANLIGHTLY_BUILD_RATE =
      Key.of("backlogProducerRate", Quantities.RATE_OR_OFF, Dialect.VANLIGHTLY)
          .means("rate while the backlog builds; -1 for the measured rate");
  private static final Key<Fields> OWN =
      Key.own(
              "backlog",
              Kind.mapping(
                  List.of(
                      BYTES,
                      MESSAGES,
                      LASTING,
                      BUILD_RATE,
                      BUILD_TIMEOUT,
                      DRAIN_RATIO,
                      DRAIN_TIMEOUT,
                      WHEN),
                  BYTES,
                  MESSAGES,
                  LASTING))
          .means(
              "unread messages to build, with consumers paused in their groups, and to drain under"
                  + " load");

  static final List<Key<?>> KEYS = List.of(OMB, OMB_DRAIN_RATIO, VANLIGHTLY_BUILD_RATE, OWN);

  private Backlog() {}

  static Optional<BacklogSpec> read(
      Fields fields, Dialect dialect, double meanBytes, List<String> notes) {
    long gib = fields.read(OMB).orElse(0L);
    double ratio = fields.read(OMB_DRAIN_RATIO).orElse(1.0);
    OptionalDouble buildRate = fields.messagesPerSecond(VANLIGHTLY_BUILD_RATE, meanBytes);
    if (fields.has(OWN)) {
      if (gib > 0) {
        fields.refuseBeside(OWN, OMB);
      }
      return fields.read(OWN).map(keys -> read(fields, keys, meanBytes));
    }
    if (gib == 0) {
      return Optional.empty();
    }
    if (dialect == Dialect.REDPANDA || dialect == Dialect.VANLIGHTLY) {
      notes.add(
          "dialect "
              + dialect.label()
              + ": testDuration begins after the backlog's drain; in the fork it begins with the"
              + " backlog, so its test is shorter by both");
    }
    return Optional.of(
        new BacklogSpec(
            OptionalLong.of(gib * GIB),
            OptionalLong.empty(),
            Duration.ZERO,
            buildRate,
            LIMIT,
            ratio,
            LIMIT,
            true));
  }

  private static BacklogSpec read(Fields fields, Fields keys, double meanBytes) {
    if (!keys.has(BYTES) && !keys.has(MESSAGES) && !keys.has(LASTING)) {
      fields.add(OWN, "has no size", "add bytes: 10GiB, messages: N or lasting: 10m");
    } else if (keys.has(BUILD_TIMEOUT) && !keys.has(BYTES) && !keys.has(MESSAGES)) {
      keys.add(BUILD_TIMEOUT, "has no effect with lasting alone", "remove it");
    }
    return new BacklogSpec(
        keys.optionalLong(BYTES),
        keys.optionalLong(MESSAGES),
        keys.read(LASTING).orElse(Duration.ZERO),
        keys.messagesPerSecond(BUILD_RATE, meanBytes),
        keys.read(BUILD_TIMEOUT).orElse(LIMIT),
        keys.read(DRAIN_RATIO).orElse(1.0),
        keys.read(DRAIN_TIMEOUT).orElse(LIMIT),
        keys.read(WHEN).orElse(false));
  }

  static void check(Workload workload, Fields fields) {
    if (workload.phases().backlog().isEmpty()) {
      return;
    }
    Key<?> key = fields.has(OWN) ? OWN : OMB;
    if (!workload.produces() || !workload.consumes()) {
      fields.add(key, "needs producers and consumers", "add them, or remove it");
    }
    if (workload.behaviour().consume().groups() == Groups.SHARE) {
      Consume.refuseUnpausable(fields, key);
    }
  }
}
