// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.workload.Payload.PayloadSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/** Generates payloads for workloads that name no file. */
final class GeneratedPayload {
  static final String DESCRIPTION = "generated from the seed: random characters A-Z a-z 0-9 + /";

  private static final byte[] ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
          .getBytes(StandardCharsets.US_ASCII);

  private GeneratedPayload() {}

  /**
   * Random characters of a 64-character alphabet, 6 random bits per byte. A single message
   * therefore compresses to three quarters at best; a batch of messages with the same payload
   * compresses much better.
   */
  static byte[] of(long seed, int bytes) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] payload = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      payload[i] = ALPHABET[random.nextInt(ALPHABET.length)];
    }
    return payload;
  }

  /** Values of one size whose first bytes are random and whose other bytes are zero, like OMB's. */
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
