// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.workload.Payload.PayloadSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Payloads of workloads that name no file. */
final class GeneratedPayload {
  /** What a plan says its payload is. */
  static final String DESCRIPTION = "generated from the seed: random characters A-Z a-z 0-9 + /";

  private static final byte[] ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
          .getBytes(StandardCharsets.US_ASCII);

  private GeneratedPayload() {}

  /**
   * Characters of a 64-character alphabet, 6 bits of chance in each byte. One message therefore
   * compresses to no less than three quarters; a batch of messages that all carry it compresses far
   * better.
   */
  static byte[] of(long seed, int bytes) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] payload = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      payload[i] = ALPHABET[random.nextInt(ALPHABET.length)];
    }
    return payload;
  }

  /**
   * Values whose first bytes are random and whose rest is zero, as OMB's are.
   *
   * @param bytes size of each
   */
  static List<byte[]> pool(long seed, PayloadSpec.RandomPool pool, int bytes) {
    SplittableRandom random = new SplittableRandom(seed);
    List<byte[]> values = new ArrayList<>(pool.values());
    for (int i = 0; i < pool.values(); i++) {
      byte[] head = new byte[(int) (bytes * pool.randomRatio())];
      random.nextBytes(head);
      values.add(Arrays.copyOf(head, bytes));
    }
    return values;
  }
}
