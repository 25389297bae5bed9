// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.junit.jupiter.api.Test;

class SystemNanoClockTest {
  private final NanoClock clock = NanoClock.system();

  @Test
  void tellsTheSystemsTime() {
    long expected = ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now());

    // A second of room: the test is about the unit and the origin, the machine may be busy.
    assertThat(clock.epochMicros()).isCloseTo(expected, within(1_000_000L));
  }

  @Test
  void wallClockTimesAreAsFarApartAsMonotonicOnes() {
    long nanos = clock.nanoTime();

    assertThat(clock.epochMicros(nanos + 36L * 3600 * 1_000_000_000L) - clock.epochMicros(nanos))
        .isEqualTo(36L * 3600 * 1_000_000);
    assertThat(clock.epochMicros(nanos + 999) - clock.epochMicros(nanos)).isBetween(0L, 1L);
  }
}
