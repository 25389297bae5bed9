// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.payload;

/**
 * Random numbers as a pure function of random seed, producer and message number: the same on every
 * machine and in every order, without state.
 */
final class MessageRandom {
  static final long GOLDEN = 0x9E3779B97F4A7C15L;

  /** What a number is drawn for, so that the draws of one message are independent. */
  enum Draw {
    BODY,
    BUCKET,
    SIZE,
    KEY,
    KEY_BYTES,
    KEY_START
  }

  private final long base;

  MessageRandom(long seed, int producer) {
    base = mix(mix(seed) + GOLDEN * (producer + 1L));
  }

  long bits(Draw draw, long number) {
    return mix(base + mix(number * GOLDEN + draw.ordinal()));
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  double unit(Draw draw, long number) {
    return unit(bits(draw, number));
  }

  /** An integer from 0 to {@code bound} − 1, uniform up to an error of bound / 2^31. */
  int below(int bound, Draw draw, long number) {
    return (int) Math.multiplyHigh(bits(draw, number) >>> 1, (long) bound << 1);
  }

  static double unit(long bits) {
    return (bits >>> 11) * 0x1p-53;
  }

  /** The finalizer of SplitMix64: every input bit affects every output bit. */
  static long mix(long value) {
    long z = value;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
