// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.payload;

/**
 * MessageRandom as a pure function: what is drawn for a message depends on seed, producer and
 * number alone, so it is the same on every machine, in every order, and costs no state.
 */
final class MessageRandom {
  private static final long GOLDEN = 0x9E3779B97F4A7C15L;

  /** What is drawn, so that draws for one message have nothing to do with each other. */
  enum Draw {
    BODY,
    BUCKET,
    SIZE,
    KEY,
    KEY_BYTES,
    KEY_START
  }

  private final long base;

  /** Draws of one producer. */
  MessageRandom(long seed, int producer) {
    base = mix(mix(seed) + GOLDEN * (producer + 1L));
  }

  /** 64 random bits. */
  long bits(Draw draw, long number) {
    return mix(base + mix(number * GOLDEN + draw.ordinal()));
  }

  /** A number from 0 (inclusive) to 1 (exclusive). */
  double unit(Draw draw, long number) {
    return unit(bits(draw, number));
  }

  /** A whole number from 0 to {@code bound} − 1, each as likely up to one in 2^31 / bound. */
  int below(int bound, Draw draw, long number) {
    return (int) Math.multiplyHigh(bits(draw, number) >>> 1, (long) bound << 1);
  }

  static double unit(long bits) {
    return (bits >>> 11) * 0x1p-53;
  }

  /** The finalizer of SplitMix64: every bit of the input moves every bit of the output. */
  static long mix(long value) {
    long z = value;
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }
}
