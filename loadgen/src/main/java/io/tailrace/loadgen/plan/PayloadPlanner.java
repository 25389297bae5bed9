// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import io.tailrace.loadgen.plan.Plan.PayloadPlan;
import io.tailrace.loadgen.workload.Messages.MessageSpec;
import io.tailrace.loadgen.workload.Messages.SizeSpec;
import io.tailrace.loadgen.workload.Payload.PayloadSpec;
import io.tailrace.loadgen.workload.Payload.PayloadSpec.PayloadFile;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/** Plans the message values. */
final class PayloadPlanner {
  private static final String GENERATED =
      "generated from the seed: random characters A-Z a-z 0-9 + /";

  private static final byte[] ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
          .getBytes(StandardCharsets.US_ASCII);

  private PayloadPlanner() {}

  static PayloadPlan of(MessageSpec message, long seed) {
    SizeSpec size = message.size();
    Optional<SizeSpec> cuts = size.constant() ? Optional.empty() : Optional.of(size);
    PayloadSpec payload = message.payload();
    if (payload instanceof PayloadSpec.Files files) {
      List<byte[]> bodies = files.files().stream().map(PayloadFile::content).toList();
      return new PayloadPlan(bodies, Optional.empty(), describe(files));
    }
    if (payload instanceof PayloadSpec.RandomPool pool) {
      String description =
          "pool of %d values made from the seed, %s of their bytes random, the rest zero"
              .formatted(pool.values(), pool.randomRatio());
      List<byte[]> bodies = pool(seed, pool, size.most());
      return new PayloadPlan(bodies, cuts, description);
    }
    byte[] body = generated(seed, size.most());
    return new PayloadPlan(List.of(body), cuts, GENERATED);
  }

  private static String describe(PayloadSpec.Files files) {
    PayloadFile first = files.files().get(0);
    if (files.files().size() > 1) {
      return files.files().size() + " files in " + first.path().getParent();
    }
    return (first.made() ? "made from the name of file " : "file ") + first.path();
  }

  /**
   * Random characters of a 64-character alphabet, 6 random bits per byte. A single message
   * therefore compresses to three quarters at best; a batch of messages with the same payload
   * compresses much better.
   */
  private static byte[] generated(long seed, int bytes) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] payload = new byte[bytes];
    for (int i = 0; i < bytes; i++) {
      payload[i] = ALPHABET[random.nextInt(ALPHABET.length)];
    }
    return payload;
  }

  /** Values of one size whose first bytes are random and whose other bytes are zero, like OMB's. */
  private static List<byte[]> pool(long seed, PayloadSpec.RandomPool pool, int bytes) {
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
