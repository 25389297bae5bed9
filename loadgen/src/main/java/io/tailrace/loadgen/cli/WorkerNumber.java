// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Worker i of N, from 0, as users write it: {@code 2/4}. */
record WorkerNumber(int worker, int workers) {
  private static final Pattern FORM = Pattern.compile("(\\d{1,9})/(\\d{1,9})");

  static Optional<WorkerNumber> parse(String text) {
    Matcher found = FORM.matcher(text);
    return found.matches()
        ? Optional.of(
            new WorkerNumber(Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2))))
        : Optional.empty();
  }
}
