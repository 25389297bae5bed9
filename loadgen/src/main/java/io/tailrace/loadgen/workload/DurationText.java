// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.time.Duration;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations as users write them: {@code 500ms 90s 15m 36h}. */
final class DurationText {
  static final Duration LONGEST = Duration.ofDays(366);

  private static final Pattern FORM = Pattern.compile("(\\d{1,12})(ms|s|m|h)");

  private DurationText() {}

  /** The duration, or empty when the text is none or it is over a year. */
  static Optional<Duration> parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return Optional.empty();
    }
    long amount = Long.parseLong(matcher.group(1));
    Duration duration =
        switch (matcher.group(2)) {
          case "ms" -> Duration.ofMillis(amount);
          case "s" -> Duration.ofSeconds(amount);
          case "m" -> Duration.ofMinutes(amount);
          default -> Duration.ofHours(amount);
        };
    return Optional.of(duration).filter(d -> d.compareTo(LONGEST) <= 0);
  }
}
