// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class SystemNanoClockTest {
  private static final long SECOND = 1_000_000_000L;

  private long nanos = 5 * SECOND;
  private long setBy = 1_700_000_000L * SECOND;
  private final SystemNanoClock clock = new SystemNanoClock(() -> nanos, () -> nanos + setBy);

  private long realMicros() {
    return (nanos + setBy) / 1000;
  }

  @Test
  void isTheSystemsClockToTheMicrosecond() {
    nanos += 36 * 3600 * SECOND + 1234;
    assertThat(clock.epochMicros()).isEqualTo(realMicros());
    assertThat(clock.resync()).isZero();
    assertThat(clock.epochMicros()).isEqualTo(realMicros());
  }

  @Test
  void aStepOfTheSystemClockIsReportedOnceAndFollowedWithoutAJump() {
    nanos += 10 * SECOND;
    setBy += 40_000_000; // 40 ms forward
    long before = clock.epochMicros();
    assertThat(clock.resync()).isEqualTo(40_000);
    assertThat(clock.epochMicros()).isEqualTo(before);
    nanos += 10 * SECOND;
    assertThat(clock.resync()).isZero();
    assertThat(realMicros() - clock.epochMicros()).isCloseTo(35_000, within(2L));
    nanos += 80 * SECOND;
    assertThat(clock.resync()).isZero();
    assertThat(clock.epochMicros()).isCloseTo(realMicros(), within(110L));
  }

  @Test
  void noLatencyIsOffByMoreThanOneInTwoThousand() {
    Random random = new Random(3);
    for (int i = 0; i < 1000; i++) {
      long from = clock.epochMicros();
      long fromNanos = nanos;
      nanos += random.nextLong(1, 30 * SECOND);
      if (i % 3 == 0) {
        setBy += random.nextLong(-SECOND, SECOND);
      }
      clock.resync();
      long truth = (nanos - fromNanos) / 1000;
      assertThat(clock.epochMicros() - from).isCloseTo(truth, within(truth / 2000 + 2));
    }
  }
}
