// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The payloads that OMB ships as files, made from their names: {@code payload-100b.data}, {@code
 * payload-1Kb.data} and the like. The bytes are ours: JSON lines as services send each other, the
 * same on every machine.
 */
final class NamedPayload {
  private static final Pattern NAME = Pattern.compile("payload-(\\d{1,5})(b|Kb)\\.data");
  private static final String[] KINDS = {"view", "search", "cart", "order", "refund"};
  private static final int MOST_BYTES = 128 << 20;

  private NamedPayload() {}

  /** The content that the file's name promises, or empty when it is no such name. */
  static Optional<byte[]> of(String file) {
    Matcher matcher = NAME.matcher(Path.of(file).getFileName().toString());
    if (!matcher.matches()) {
      return Optional.empty();
    }
    int bytes = Integer.parseInt(matcher.group(1)) * (matcher.group(2).equals("b") ? 1 : 1024);
    return bytes < MessageSpec.LEAST_BYTES || bytes > MOST_BYTES
        ? Optional.empty()
        : Optional.of(make(bytes));
  }

  private static byte[] make(int bytes) {
    SplittableRandom random = new SplittableRandom(bytes);
    StringBuilder text = new StringBuilder(bytes + 200);
    while (text.length() < bytes) {
      text.append(
          String.format(
              Locale.ROOT,
              "{\"kind\":\"%s\",\"user\":%09d,\"session\":\"%016x%016x\",\"cents\":%d}\n",
              KINDS[random.nextInt(KINDS.length)],
              random.nextInt(1_000_000_000),
              random.nextLong(),
              random.nextLong(),
              random.nextInt(100_000)));
    }
    return text.substring(0, bytes).getBytes(StandardCharsets.US_ASCII);
  }
}
