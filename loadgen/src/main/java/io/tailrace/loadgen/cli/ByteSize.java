// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads sizes as users write them: {@code 512MiB 10GiB 2TiB}. */
final class ByteSize {
  private static final Pattern FORM = Pattern.compile("([1-9]\\d{0,5})([KMGT])iB");

  private ByteSize() {}

  /** The size in bytes; empty if the text is not a size. */
  static OptionalLong parse(String text) {
    Matcher matcher = FORM.matcher(text);
    if (!matcher.matches()) {
      return OptionalLong.empty();
    }
    int shift = 10 * (1 + "KMGT".indexOf(matcher.group(2)));
    return OptionalLong.of(Long.parseLong(matcher.group(1)) << shift);
  }
}
