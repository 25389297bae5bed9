// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tailrace.loadgen.pace.Schedule.Phase;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScheduleTest {
  private static final long SECOND = 1_000_000_000L;

  @Test
  void messagesOfOneProducerAreEvenlySpaced() {
    Schedule schedule = new Schedule(0, List.of(new Phase(Duration.ofSeconds(2), 4)));

    assertThat(schedule.count()).isEqualTo(8);
    assertThat(schedule.dueNanos(0)).isZero();
    assertThat(schedule.dueNanos(1)).isEqualTo(SECOND / 4);
    assertThat(schedule.dueNanos(7)).isEqualTo(7 * SECOND / 4);
  }

  @Test
  void offsetShareShiftsEveryMessageByAPartOfOneInterval() {
    Schedule schedule = new Schedule(0.75, List.of(new Phase(Duration.ofSeconds(1), 10)));

    assertThat(schedule.dueNanos(0)).isEqualTo(75_000_000L);
    assertThat(schedule.dueNanos(9)).isEqualTo(975_000_000L);
    assertThat(schedule.count()).isEqualTo(10);
  }

  @Test
  void doesNotDriftIn36HoursAtThreeMillionAndSevenPerSecond() {
    double rate = 3_000_007;
    Schedule schedule = new Schedule(0.5, List.of(new Phase(Duration.ofHours(36), rate)));
    long messages = 36L * 3600 * 3_000_007;

    assertThat(schedule.count()).isEqualTo(messages);
    for (long message : new long[] {0, 1, messages / 3, messages - 2, messages - 1}) {
      long exact =
          new BigDecimal(message)
              .add(new BigDecimal("0.5"))
              .multiply(BigDecimal.valueOf(SECOND))
              .divide(new BigDecimal("3000007"), 0, RoundingMode.HALF_EVEN)
              .longValueExact();
      assertThat(schedule.dueNanos(message)).isCloseTo(exact, within(1L));
    }
  }

  @Test
  void phasesOfEqualRateJoinAsIfThereWereOne() {
    double rate = 7;
    Schedule two =
        new Schedule(
            0.3,
            List.of(
                new Phase(Duration.ofMillis(1050), rate),
                new Phase(Duration.ofMillis(2950), rate)));
    Schedule one = new Schedule(0.3, List.of(new Phase(Duration.ofSeconds(4), rate)));

    assertThat(two.count()).isEqualTo(one.count());
    for (long message = 0; message < one.count(); message++) {
      assertThat(two.dueNanos(message)).isCloseTo(one.dueNanos(message), within(1L));
    }
  }

  @Test
  void phasesOfDifferentRatesJoinWithoutGap() {
    // 25 messages in 2.5 s, then 1 s apart.
    Schedule schedule =
        new Schedule(
            0.5,
            List.of(new Phase(Duration.ofMillis(2500), 10), new Phase(Duration.ofSeconds(4), 1)));

    assertThat(schedule.count()).isEqualTo(29);
    assertThat(schedule.dueNanos(24)).isEqualTo(2_450_000_000L);
    // Half an interval was waited in the old rate, the other half is waited in the new one.
    assertThat(schedule.dueNanos(25)).isEqualTo(3 * SECOND);
    assertThat(schedule.dueNanos(26)).isEqualTo(4 * SECOND);
    assertThat(schedule.durationNanos()).isEqualTo(6_500_000_000L);
  }

  @ParameterizedTest
  @CsvSource({"3, 20000, 60", "7, 1000, 10", "320, 500000, 600", "10, 1, 60", "49, 3000007, 1"})
  void producersTogetherSendTheWholeRate(int producers, double rate, int seconds) {
    long total = 0;
    for (int producer = 0; producer < producers; producer++) {
      Schedule schedule =
          new Schedule(
              (double) producer / producers,
              List.of(new Phase(Duration.ofSeconds(seconds), rate / producers)));
      total += schedule.count();
      if (schedule.count() > 0) {
        assertThat(schedule.dueNanos(schedule.count() - 1)).isLessThan(schedule.durationNanos());
      }
      assertThat(schedule.dueNanos(schedule.count()))
          .isGreaterThanOrEqualTo(schedule.durationNanos());
    }

    assertThat(total).isEqualTo((long) (rate * seconds));
  }
}
