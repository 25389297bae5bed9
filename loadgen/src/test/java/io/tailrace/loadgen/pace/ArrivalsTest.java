// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ArrivalsTest {
  private static final long SECOND = 1_000_000_000L;

  private final FakeClock clock = new FakeClock();
  private final long start = clock.nanoTime();
  private final RateSchedule course = new RateSchedule(start);

  private void stretch(RateFunction flow, double untilSecond) {
    course.follow(flow, false);
    course.turn(start + Math.round(untilSecond * SECOND));
  }

  private Arrivals arrivals(double share, double offset) {
    return new Arrivals(course, share, offset, 0, null, clock);
  }

  private List<Double> seconds(Arrivals arrivals) {
    List<Double> seconds = new ArrayList<>();
    for (long due = arrivals.due(); due != Arrivals.NEVER; due = arrivals.due()) {
      assertThat(due).isNotEqualTo(Arrivals.LATER);
      seconds.add((due - start) / 1e9);
      arrivals.sent();
    }
    return seconds;
  }

  @Test
  void messagesOfOneProducerAreEvenlySpaced() {
    stretch(new ConstantRate(8), 2);
    course.end();

    assertThat(seconds(arrivals(0.5, 0)))
        .containsExactly(0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75);
    assertThat(seconds(arrivals(0.25, 0.5))).containsExactly(0.25, 0.75, 1.25, 1.75);
  }

  @Test
  void stretchesJoinWithoutAGap() {
    stretch(new ConstantRate(4), 1.1);
    stretch(new ConstantRate(10), 2);
    course.end();

    // 4.4 messages' worth has passed at 1.1 s; the fifth is due when the rest, 0.6, is there.
    assertThat(seconds(arrivals(1, 0)).subList(4, 7)).containsExactly(1.0, 1.16, 1.26);
  }

  @Test
  void aTurnThatComesTooLateNeverTakesIntendedTimesBack() {
    course.follow(new ConstantRate(10), false);
    Arrivals arrivals = arrivals(1, 0);
    for (int i = 0; i < 20; i++) {
      assertThat(arrivals.due()).isEqualTo(start + i * SECOND / 10);
      arrivals.sent();
    }
    // 1.9 s are sent already. At a higher rate from second 1 on the next one would be due at 1.1.
    course.turn(start + SECOND);
    course.follow(new ConstantRate(100), false);
    assertThat(arrivals.due()).isEqualTo(start + 19 * SECOND / 10);
    arrivals.sent();
    assertThat(arrivals.due()).isGreaterThanOrEqualTo(start + 19 * SECOND / 10);
  }

  @Test
  void aStretchEndedBeforeAMessageTakesItsTimeBack() {
    course.follow(new ConstantRate(1), false);
    Arrivals arrivals = arrivals(1, 0.5);
    assertThat(arrivals.due()).isEqualTo(start + SECOND / 2);
    arrivals.sent();
    assertThat(arrivals.due()).isEqualTo(start + 3 * SECOND / 2);

    course.turn(start + SECOND);
    assertThat(arrivals.due()).isEqualTo(Arrivals.LATER);
    course.follow(new ConstantRate(5), false);

    // Half a message was left to wait for: a tenth of a second at the new rate.
    assertThat(arrivals.due()).isEqualTo(start + 11 * SECOND / 10);
  }

  @Test
  void aRateOfZeroIsAWait() {
    course.follow(new ConstantRate(0), false);
    Arrivals arrivals = arrivals(1, 0);
    arrivals.sent();

    assertThat(arrivals.due()).isEqualTo(Arrivals.LATER);
  }

  @Test
  void withoutAScheduleAMessageIsDueWhenItIsAskedFor() {
    course.follow(null, false);
    Arrivals arrivals = arrivals(1, 0);
    assertThat(arrivals.due()).isEqualTo(start);
    arrivals.sent();
    clock.advance(SECOND);
    assertThat(arrivals.due()).isEqualTo(start + SECOND);

    course.turn(start + SECOND);
    course.follow(new ConstantRate(2), false);
    assertThat(arrivals.due()).isEqualTo(start + SECOND);
    arrivals.sent();
    assertThat(arrivals.due()).isEqualTo(start + 3 * SECOND / 2);
  }

  @Test
  void aBoundedStretchEndsWithItsVolumeAndTheNextOneGoesOnFromThere() {
    course.follow(new ConstantRate(10), true);
    Arrivals arrivals = new Arrivals(course, 1, 0, 3, null, clock);
    for (int i = 0; i < 3; i++) {
      assertThat(arrivals.volumeSent()).isFalse();
      assertThat(arrivals.due()).isEqualTo(start + i * SECOND / 10);
      arrivals.sent();
    }
    assertThat(arrivals.due()).isEqualTo(Arrivals.LATER);
    assertThat(arrivals.volumeSent()).isTrue();

    course.turn(start + 5 * SECOND);
    course.follow(new ConstantRate(10), false);
    assertThat(arrivals.due()).isEqualTo(start + 5 * SECOND);
    assertThat(arrivals.volumeSent()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"0, 3, 7", "0.5, 0.3, 1000003", "0.999, 0.001, 12345"})
  void whatIsLeftIsWhatWouldStillBeDue(double offset, double share, double rate) {
    stretch(new ConstantRate(rate), 1.7);
    stretch(new ConstantRate(rate / 3), 2.1);
    course.end();
    long all = seconds(arrivals(share, offset)).size();

    Arrivals arrivals = arrivals(share, offset);
    OverdueMessages left = arrivals.left();
    assertThat(left.messages()).isEqualTo(all);
    List<Double> due = seconds(arrivals(share, offset));
    assertThat((left.firstNanoTime() - start) / 1e9).isCloseTo(due.get(0), within(1e-6));
    assertThat((left.lastNanoTime() - start) / 1e9)
        .isCloseTo(due.get(due.size() - 1), within(1e-6));
    Arrivals behind = arrivals(share, offset);
    behind.due();
    behind.sent();
    assertThat(behind.left().messages()).isEqualTo(all - 1);
  }

  @Test
  void roundingDoesNotAddUpOver36Hours() {
    long message = 3_000_000L * 36 * 3600 + 7;
    ConstantRate flow = new ConstantRate(3_000_000);
    double exact = 36 * 3600e9 + 7 * 1e9 / 3_000_000;

    assertThat((double) flow.nanosAt(message)).isCloseTo(exact, within(64.0));
  }

  @Test
  void poissonArrivalsHaveTheRateAndTheSpreadOfChanceAndAreTheSameForASeed() {
    stretch(new ConstantRate(1000), 100);
    course.end();
    List<Double> times = seconds(poisson(7));

    assertThat((double) times.size()).isCloseTo(100_000, within(1500.0));
    double mean = times.get(times.size() - 1) / times.size();
    double square = 0;
    for (int i = 1; i < times.size(); i++) {
      double gap = times.get(i) - times.get(i - 1) - mean;
      square += gap * gap;
    }
    // The gaps of chance spread as widely as their mean.
    assertThat(Math.sqrt(square / times.size())).isCloseTo(mean, within(0.05 * mean));
    assertThat(seconds(poisson(7))).isEqualTo(times);
    assertThat(seconds(poisson(8))).isNotEqualTo(times);
  }

  private Arrivals poisson(long seed) {
    return new Arrivals(course, 1, 0, 0, new SplittableRandom(seed), clock);
  }

  @Test
  void burstsKeepTheMeanAndComeInTheirPartOfEachPeriod() {
    stretch(new BurstRate(new ConstantRate(100), Duration.ofSeconds(1), Duration.ofMillis(100)), 3);
    course.end();
    List<Double> times = seconds(arrivals(1, 0.5));

    assertThat(times).hasSize(300);
    assertThat(times).allSatisfy(time -> assertThat(time % 1).isLessThanOrEqualTo(0.1));
    assertThat(times.get(101) - times.get(100)).isCloseTo(0.001, within(1e-6));
  }
}
