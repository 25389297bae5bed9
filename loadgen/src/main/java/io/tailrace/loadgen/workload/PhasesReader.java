// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

/** Reads the stretches of a run. */
final class PhasesReader {
  static final Set<String> FILL_KEYS = Set.of("timeout", "rate");
  static final Set<String> BACKLOG_KEYS =
      Set.of(
          "bytes",
          "messages",
          "lasting",
          "buildRate",
          "buildTimeout",
          "drainRatio",
          "drainTimeout",
          "when");

  private static final long MOST_MINUTES = DurationText.LONGEST.toMinutes();
  private static final long GIB = 1L << 30;
  private static final Duration LEAST = Duration.ofMillis(1);
  private static final Duration DRAIN = Duration.ofSeconds(30);
  private static final Duration BACKLOG_LIMIT = Duration.ofHours(24);
  private static final Duration FILL_LIMIT = Duration.ofHours(24);
  private static final String OMBS_BACKLOG = "consumerBacklogSizeGB";

  private final Fields fields;
  private final Dialect dialect;
  private final double meanBytes;

  PhasesReader(Fields fields, Dialect dialect, double meanBytes) {
    this.fields = fields;
    this.dialect = dialect;
    this.meanBytes = meanBytes;
  }

  /**
   * @param endsByItself whether a bounded volume ends the measure phase, so that it needs no length
   */
  PhasesSpec read(boolean endsByItself) {
    return new PhasesSpec(
        length("warmupDuration", "warmupDurationMinutes", 0).orElse(dialect.warmup()),
        warmupRate(),
        Duration.ofMinutes(minutes("warmupProducerRateSeparationMinutes", -1).orElse(0)),
        fill(),
        measure(endsByItself),
        backlog(),
        fields.duration("cooldownDuration", Duration.ZERO).orElse(Duration.ZERO),
        fields.duration("drainTimeout", Duration.ZERO).orElse(DRAIN));
  }

  private OptionalDouble warmupRate() {
    OptionalDouble ours = Quantities.rate(fields, "warmupRate", meanBytes);
    OptionalDouble vanlightlys = orOff("warmupProducerRate");
    if (fields.has("warmupRate") && fields.has("warmupProducerRate")) {
      fields.add("warmupRate", "given beside warmupProducerRate", "keep one of the two");
    }
    return ours.isPresent() ? ours : vanlightlys;
  }

  /** A rate of the Vanlightly fork's, where −1 is the default and turns it off. */
  private OptionalDouble orOff(String key) {
    YamlNode node = fields.value(key).orElse(null);
    boolean off = node instanceof YamlNode.Number number && number.value().signum() <= 0;
    return off ? OptionalDouble.empty() : Quantities.rate(fields, key, meanBytes);
  }

  private Duration measure(boolean endsByItself) {
    Optional<Duration> test = length("testDuration", "testDurationMinutes", 1);
    if (test.isEmpty() && !endsByItself && !fields.has("testDuration")) {
      if (!fields.has("testDurationMinutes")) {
        fields.add("testDuration", "missing", "add testDuration: 60s or testDurationMinutes: N");
      }
    }
    return test.orElse(DurationText.LONGEST);
  }

  /** Our duration or OMB's whole minutes; OMB's 0 minutes of testing mean until it is ended. */
  private Optional<Duration> length(String ours, String inMinutes, long leastMillis) {
    Optional<Duration> length = fields.duration(ours, Duration.ofMillis(leastMillis));
    if (!fields.has(inMinutes)) {
      return length;
    }
    if (fields.has(ours)) {
      fields.add(ours, "given beside " + inMinutes, "keep one of the two");
    }
    OptionalLong minutes = minutes(inMinutes, 0);
    if (minutes.isEmpty() || (minutes.getAsLong() == 0 && leastMillis > 0)) {
      return Optional.empty();
    }
    return Optional.of(Duration.ofMinutes(minutes.getAsLong()));
  }

  private OptionalLong minutes(String key, long least) {
    OptionalLong minutes = fields.whole(key, least, MOST_MINUTES);
    return minutes.isPresent() ? OptionalLong.of(Math.max(0, minutes.getAsLong())) : minutes;
  }

  private Optional<PhasesSpec.Fill> fill() {
    boolean wanted =
        fields
            .choice("measureAfter", Map.of("warmup", false, "retentionReached", true))
            .orElse(false);
    Optional<Fields> section = fields.section("retentionFill", FILL_KEYS);
    if (section.isPresent() && !wanted && !fields.isBad("measureAfter")) {
      String what = "means something with measureAfter: retentionReached only";
      fields.add("retentionFill", what, "add that or remove this");
    }
    Duration timeout = section.flatMap(s -> s.duration("timeout", LEAST)).orElse(FILL_LIMIT);
    OptionalDouble rate =
        section.map(s -> Quantities.rate(s, "rate", meanBytes)).orElse(OptionalDouble.empty());
    return wanted ? Optional.of(new PhasesSpec.Fill(timeout, rate)) : Optional.empty();
  }

  private Optional<BacklogSpec> backlog() {
    OptionalLong gib = fields.whole(OMBS_BACKLOG, 0, Long.MAX_VALUE / GIB);
    double ratio = fields.number("backlogDrainRatio", 0, 1).orElse(1);
    OptionalDouble buildRate = orOff("backlogProducerRate");
    if (fields.has("backlog")) {
      if (gib.orElse(0) > 0) {
        fields.add("backlog", "given beside " + OMBS_BACKLOG, "keep one of the two");
      }
      return fields.section("backlog", BACKLOG_KEYS).map(this::backlog);
    }
    if (gib.orElse(0) == 0) {
      return Optional.empty();
    }
    return Optional.of(
        new BacklogSpec(
            OptionalLong.of(gib.getAsLong() * GIB),
            OptionalLong.empty(),
            Duration.ZERO,
            buildRate,
            BACKLOG_LIMIT,
            ratio,
            BACKLOG_LIMIT,
            true));
  }

  private BacklogSpec backlog(Fields section) {
    if (!section.has("bytes") && !section.has("messages") && !section.has("lasting")) {
      fields.add("backlog", "has no size", "add bytes: 10GiB, messages: N or lasting: 10m");
    } else if (section.has("buildTimeout") && !section.has("bytes") && !section.has("messages")) {
      section.add("buildTimeout", "means nothing beside lasting alone", "remove it");
    }
    return new BacklogSpec(
        Quantities.bytes(section, "bytes", 1, Long.MAX_VALUE),
        section.whole("messages", 1, Long.MAX_VALUE),
        section.duration("lasting", LEAST).orElse(Duration.ZERO),
        Quantities.rate(section, "buildRate", meanBytes),
        section.duration("buildTimeout", LEAST).orElse(BACKLOG_LIMIT),
        Quantities.share(section, "drainRatio").orElse(1),
        section.duration("drainTimeout", LEAST).orElse(BACKLOG_LIMIT),
        section.choice("when", Map.of("beforeMeasure", true, "afterMeasure", false)).orElse(false));
  }
}
