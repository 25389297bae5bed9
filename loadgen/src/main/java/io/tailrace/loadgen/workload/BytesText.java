// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.math.BigDecimal;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Amounts of bytes as users write them: {@code 512B 1.5kB 20MB 10GiB}. */
final class BytesText {
  static final String FORMS = "write it as 1024B, 500MB or 10GiB";

  private static final Map<String, Long> UNITS =
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
  private static final Pattern FORM =
      Pattern.compile("(\\d{1,15}(?:\\.\\d{1,9})?) ?(B|[kMGT]B|[KMGT]iB)");

  private BytesText() {}

  /** The bytes, rounded down, or empty when the text is none or beyond a long. */
  static Optional<Long> parse(String text) {
    Matcher matcher = FORM.matcher(text.strip());
    if (!matcher.matches()) {
      return Optional.empty();
    }
    BigDecimal bytes =
        new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(UNITS.get(matcher.group(2))));
    return bytes.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0
        ? Optional.empty()
        : Optional.of(bytes.longValue());
  }
}
