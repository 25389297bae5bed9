// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import io.tailrace.loadgen.workload.SloSpec.Direction;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.TreeSet;

/** Reads the bounds that decide the exit code. */
final class SloReader {
  private static final List<String> STAGES =
      List.of("publishDelay", "publish", "publishService", "endToEnd");
  private static final List<String> QUANTILES =
      List.of("p50", "p75", "p90", "p95", "p99", "p99.9", "p99.99", "max");
  private static final List<String> RATES = List.of("published", "consumed");
  private static final List<String> COUNTS = List.of("lost", "duplicates");
  private static final String ERRORS = "errorRate";
  private static final String DRAIN = "backlogDrain";

  private SloReader() {}

  /** Every key that may stand under {@code slo}. */
  static Set<String> keys() {
    Set<String> keys = new TreeSet<>(RATES);
    keys.addAll(COUNTS);
    keys.add(ERRORS);
    keys.add(DRAIN);
    for (String stage : STAGES) {
      QUANTILES.forEach(quantile -> keys.add(stage + "." + quantile));
    }
    return keys;
  }

  /**
   * @param meanBytes mean size of messages, for rates in bytes
   */
  static List<SloSpec> read(Fields fields, double meanBytes) {
    Optional<Fields> section = fields.section("slo", keys());
    List<SloSpec> bounds = new ArrayList<>();
    section.ifPresent(
        slo -> {
          for (String key : slo.keys()) {
            if (keys().contains(key)) {
              one(slo, key, meanBytes).ifPresent(bounds::add);
            }
          }
        });
    if (section.isPresent() && section.get().keys().isEmpty()) {
      fields.add("slo", "has no bound", "add endToEnd.p99: 50ms");
    }
    return bounds;
  }

  private static Optional<SloSpec> one(Fields slo, String key, double meanBytes) {
    String text = text(slo.value(key).orElseThrow());
    if (RATES.contains(key)) {
      return bound(key, Direction.AT_LEAST, Quantities.rate(slo, key, meanBytes), text);
    }
    if (COUNTS.contains(key)) {
      OptionalDouble count =
          slo.whole(key, 0, 1L << 53).stream().mapToDouble(value -> value).findFirst();
      return bound(key, Direction.AT_MOST, count, text);
    }
    if (key.equals(ERRORS)) {
      return bound(key, Direction.AT_MOST, Quantities.share(slo, key), text);
    }
    Optional<Duration> limit = slo.duration(key, Duration.ZERO);
    return limit.map(
        duration -> new SloSpec(key, Direction.AT_MOST, duration.toNanos() / 1e3, text));
  }

  private static Optional<SloSpec> bound(
      String key, Direction direction, OptionalDouble value, String text) {
    return value.isPresent()
        ? Optional.of(new SloSpec(key, direction, value.getAsDouble(), text))
        : Optional.empty();
  }

  private static String text(YamlNode node) {
    return node instanceof YamlNode.Text text ? text.value() : node.kind();
  }
}
