// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Rates as users write them: {@code 800/s 20k/s 1.5M/s} in messages, {@code 500MB/s 1GiB/s} in
 * bytes.
 *
 * @param amount messages or bytes per second
 * @param bytes whether it is bytes
 */
record RateText(double amount, boolean bytes) {
  static final String FORMS = "write it as 1000, 20k/s or 500MB/s";

  private static final Pattern MESSAGES = Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?) ?([kM]?)/s");

  /** The rate, or empty when the text is none. */
  static Optional<RateText> parse(String text) {
    Matcher matcher = MESSAGES.matcher(text.strip());
    if (matcher.matches()) {
      double unit =
          switch (matcher.group(2)) {
            case "k" -> 1e3;
            case "M" -> 1e6;
            default -> 1;
          };
      return Optional.of(new RateText(Double.parseDouble(matcher.group(1)) * unit, false));
    }
    if (!text.strip().endsWith("/s")) {
      return Optional.empty();
    }
    String bytes = text.strip().substring(0, text.strip().length() - 2);
    return BytesText.parse(bytes).map(amount -> new RateText(amount, true));
  }

  /** Messages per second, given how large messages are on average. */
  double messagesPerSecond(double meanBytes) {
    return bytes ? amount / meanBytes : amount;
  }
}
