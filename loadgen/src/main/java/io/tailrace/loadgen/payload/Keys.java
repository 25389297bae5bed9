// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.payload;

import io.tailrace.loadgen.payload.MessageRandom.Draw;
import java.nio.charset.StandardCharsets;

/**
 * The keys of one producer's messages, each a pure function of random seed, producer and message
 * number. All producers of a run use the same set of keys. For one thread.
 */
public final class Keys {
  /** Smallest size of a key: shorter keys would not all be different. */
  public static final int MIN_BYTES = 6;

  private static final byte[] ALPHABET =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
          .getBytes(StandardCharsets.US_ASCII);
  private static final long MASK = (1L << 6 * MIN_BYTES) - 1;

  private interface Choice {
    int of(long message);
  }

  private final Choice choice;
  private final long seed;
  private final byte[] key;

  private Keys(Choice choice, int bytes, long seed) {
    this.choice = choice;
    this.seed = seed;
    this.key = new byte[bytes];
  }

  public static Keys none() {
    return new Keys(null, 0, 0);
  }

  /** One key after the other, of {@link #MIN_BYTES} or more; producers start at different keys. */
  public static Keys roundRobin(int count, int bytes, long seed, int producer) {
    long start = new MessageRandom(seed, producer).below(count, Draw.KEY_START, 0);
    return new Keys(message -> (int) ((start + message) % count), bytes, seed);
  }

  /** A random key, all equally likely. */
  public static Keys random(int count, int bytes, long seed, int producer) {
    MessageRandom random = new MessageRandom(seed, producer);
    return new Keys(message -> random.below(count, Draw.KEY, message), bytes, seed);
  }

  /** A random key; the k-th most frequent one has weight 1/k^exponent, the exponent above 0. */
  public static Keys zipf(int count, int bytes, double exponent, long seed, int producer) {
    MessageRandom random = new MessageRandom(seed, producer);
    Zipf zipf = new Zipf(count, exponent);
    return new Keys(message -> zipf.rank(random.bits(Draw.KEY, message)) - 1, bytes, seed);
  }

  /** The key of message n, from 0, or null. The array is reused for the next message. */
  public byte[] key(long message) {
    return choice == null ? null : named(choice.of(message));
  }

  /** Base64 characters, of which the first six encode the number: no two keys are equal. */
  private byte[] named(int number) {
    long head = (number * 0x9E3779B97F4A7C15L + MessageRandom.mix(seed)) & MASK;
    head = (head ^ head >>> 19) & MASK;
    for (int i = 0; i < MIN_BYTES; i++) {
      key[i] = ALPHABET[(int) (head >>> 6 * i) & 63];
    }
    long tail = 0;
    for (int i = MIN_BYTES; i < key.length; i++) {
      int at = (i - MIN_BYTES) % 10;
      tail = at == 0 ? MessageRandom.mix(seed + number * 31L + i) : tail >>> 6;
      key[i] = ALPHABET[(int) tail & 63];
    }
    return key;
  }
}
