// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts with units as users write them: durations, bytes, rates, shares. */
final class Quantities {
  static final Duration LONGEST = Duration.ofDays(366);

  /** The highest rate, in messages per second. */
  static final double MOST_RATE = 1e9;

  /** {@code 500ms 90s 15m 36h}. */
  private static final Pattern DURATION = Pattern.compile("(\\d{1,12})(ms|s|m|h)");

  /** {@code 512B 1.5kB 20MB 10GiB}. */
  private static final Pattern BYTES =
      Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?) ?(B|[kMGT]B|[KMGT]iB)");

  /** {@code 800/s 20k/s 1.5M/s}. */
  private static final Pattern MESSAGES_PER_SECOND =
      Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?) ?([kM]?)/s");

  /** {@code 1% 0.5%}. */
  static final Pattern PERCENT = Pattern.compile("(\\d{1,3}(?:\\.\\d{1,9})?)\\s*%");

  private static final Map<String, Long> BYTE_UNITS =
      Map.of(
          "B", 1L,
          "kB", 1_000L,
          "MB", 1_000_000L,
          "GB", 1_000_000_000L,
          "TB", 1_000_000_000_000L,
          "KiB", 1L << 10,
          "MiB", 1L << 20,
          "GiB", 1L << 30,
          "TiB", 1L << 40);

  /** Messages or bytes per second. */
  record Rate(double amount, boolean inBytes) {
    double messagesPerSecond(double meanBytes) {
      return inBytes ? amount / meanBytes : amount;
    }
  }

  private static final Kind<Double> PLAIN_SHARE = Kind.number(0, 1);

  /** Durations of any length. */
  static final Kind<Duration> TIME = duration(Duration.ZERO);

  /** Durations above 0. */
  static final Kind<Duration> SOME_TIME = duration(Duration.ofMillis(1));

  /** A share: a number from 0 to 1, or a text such as {@code 0.5%}. */
  static final Kind<Double> SHARE =
      new Kind<>(Quantities::share, reference("share"), "share", "1%");

  static final Kind<Rate> RATE = rate(false);
  static final Kind<Rate> RATE_OR_ZERO = rate(true);

  /** A rate of the Vanlightly fork, where −1 is the default and turns it off. */
  static final Kind<Rate> RATE_OR_OFF =
      new Kind<>(
          (fields, key, node) ->
              node instanceof YamlNode.Number number && number.value().signum() <= 0
                  ? Optional.empty()
                  : RATE.read(fields, key, node),
          Key.json("type", "number"),
          "number",
          "-1");

  private Quantities() {}

  static Kind<Duration> duration(Duration least) {
    return new Kind<>(
        (fields, key, node) -> duration(fields, key, node, least),
        reference("duration"),
        "duration",
        "1s");
  }

  /** Bytes: a whole number, or a text such as {@code 10GiB}. */
  static Kind<Long> bytes(long least, long most) {
    Kind<Long> bare = Kind.whole(least, most);
    return new Kind<>(
        (fields, key, node) ->
            node instanceof YamlNode.Text text
                ? bytes(fields, key, text, least, most)
                : bare.read(fields, key, node),
        reference("bytes"),
        "bytes",
        bare.example());
  }

  private static Kind<Rate> rate(boolean orZero) {
    return new Kind<>(
        (fields, key, node) -> rate(fields, key, node, orZero), reference("rate"), "rate", "1000");
  }

  private static Map<String, Object> reference(String definition) {
    return Key.json("$ref", "#/$defs/" + definition);
  }

  /** What the JSON Schema's references mean. */
  static Map<String, Object> definitions() {
    Map<String, Object> whole = Key.json("type", "integer", "minimum", 0);
    Map<String, Object> number = Key.json("type", "number", "minimum", 0);
    Map<String, Object> share = Key.json("type", "number", "minimum", 0, "maximum", 1);
    String rate = MESSAGES_PER_SECOND + "|" + BYTES + "/s";
    return Key.json(
        "duration", Key.json("type", "string", "pattern", "^" + DURATION + "$"),
        "bytes", orText(whole, BYTES.pattern()),
        "rate", orText(number, rate),
        "share", orText(share, PERCENT.pattern()));
  }

  private static Map<String, Object> orText(Map<String, Object> number, String pattern) {
    String spaced = "^\\s*(?:" + pattern + ")\\s*$";
    return Key.json("oneOf", List.of(number, Key.json("type", "string", "pattern", spaced)));
  }

  private static Optional<Duration> duration(
      Fields fields, String key, YamlNode node, Duration least) {
    Optional<Duration> duration =
        node instanceof YamlNode.Text text ? duration(text.value()) : Optional.empty();
    if (duration.isEmpty()) {
      String what = "must be a duration of at most " + LONGEST.toDays() + " days, not ";
      fields.addAt(key, node, what + node.describe(), "write it as 500ms, 90s, 15m or 36h");
    } else if (duration.get().compareTo(least) < 0) {
      String what = "must be at least " + least.toMillis() + "ms, not " + node.describe();
      fields.addAt(key, node, what, "make it longer");
      return Optional.empty();
    }
    return duration;
  }

  private static Optional<Long> bytes(
      Fields fields, String key, YamlNode.Text text, long least, long most) {
    Optional<Long> bytes = bytes(text.value());
    if (bytes.isEmpty()) {
      String what = "must be a number of bytes, not " + text.describe();
      fields.add(key, what, "write it as 1024B, 500MB or 10GiB");
    } else if (bytes.get() < least || bytes.get() > most) {
      String what = "must be from " + least + " to " + most + " bytes, not " + text.describe();
      fields.add(key, what, "give an amount in that range");
      return Optional.empty();
    }
    return bytes;
  }

  private static Optional<Rate> rate(Fields fields, String key, YamlNode node, boolean orZero) {
    Optional<Rate> rate = Optional.empty();
    if (node instanceof YamlNode.Number number) {
      rate = Optional.of(new Rate(number.value().doubleValue(), false));
    } else if (node instanceof YamlNode.Text text) {
      rate = rate(text.value());
    }
    if (rate.isEmpty()) {
      String what = "must be a rate, not " + node.describe();
      fields.addAt(key, node, what, "write it as 1000, 20k/s or 500MB/s");
    } else if (rate.get().amount() < 0 || (rate.get().amount() == 0 && !orZero)) {
      String what = "must be " + (orZero ? "0 or more" : "above 0") + ", not " + node.describe();
      fields.addAt(key, node, what, "give the messages per second to offer");
      return Optional.empty();
    }
    return rate;
  }

  private static Optional<Double> share(Fields fields, String key, YamlNode node) {
    if (!(node instanceof YamlNode.Text text)) {
      return PLAIN_SHARE.read(fields, key, node);
    }
    Optional<Double> share = percent(text.value());
    if (share.isEmpty()) {
      fields.add(key, "must be a share, not " + node.describe(), "write it as 0.01 or 1%");
    }
    return share;
  }

  /** The duration, or empty when the text is not one or is longer than {@link #LONGEST}. */
  static Optional<Duration> duration(String text) {
    Matcher matcher = DURATION.matcher(text);
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

  /** The bytes, rounded down, or empty when the text is not an amount or exceeds a long. */
  static Optional<Long> bytes(String text) {
    Matcher matcher = BYTES.matcher(text.strip());
    if (!matcher.matches()) {
      return Optional.empty();
    }
    BigDecimal unit = BigDecimal.valueOf(BYTE_UNITS.get(matcher.group(2)));
    BigDecimal bytes = new BigDecimal(matcher.group(1)).multiply(unit);
    return bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0
        ? Optional.empty()
        : Optional.of(bytes.longValue());
  }

  /** The rate, or empty when the text is not one. */
  static Optional<Rate> rate(String text) {
    String rate = text.strip();
    Matcher matcher = MESSAGES_PER_SECOND.matcher(rate);
    if (matcher.matches()) {
      double unit =
          switch (matcher.group(2)) {
            case "k" -> 1e3;
            case "M" -> 1e6;
            default -> 1;
          };
      return Optional.of(new Rate(Double.parseDouble(matcher.group(1)) * unit, false));
    }
    if (!rate.endsWith("/s")) {
      return Optional.empty();
    }
    return bytes(rate.substring(0, rate.length() - 2)).map(amount -> new Rate(amount, true));
  }

  /** The share, 0 to 1, or empty when the text is not a percentage of at most 100. */
  static Optional<Double> percent(String text) {
    Matcher matcher = PERCENT.matcher(text.strip());
    return matcher.matches()
        ? Optional.of(Double.parseDouble(matcher.group(1)) / 100).filter(share -> share <= 1)
        : Optional.empty();
  }
}
