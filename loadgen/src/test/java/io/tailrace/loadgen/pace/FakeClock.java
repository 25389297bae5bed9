// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

/** A clock that moves only when a test advances it. Starts far from zero, like the real one. */
final class FakeClock implements NanoClock {
  private final long originNanos;
  private final long originEpochMicros;
  private long nanos;

  FakeClock() {
    this(123_456_789_012L, 1_700_000_000_000_000L);
  }

  FakeClock(long originNanos, long originEpochMicros) {
    this.originNanos = originNanos;
    this.originEpochMicros = originEpochMicros;
    this.nanos = originNanos;
  }

  void advance(long byNanos) {
    nanos += byNanos;
  }

  @Override
  public long nanoTime() {
    return nanos;
  }

  @Override
  public long epochMicros(long nanoTime) {
    return originEpochMicros + Math.floorDiv(nanoTime - originNanos, 1000L);
  }
}
