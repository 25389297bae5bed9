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
  private final RateSchedule schedule = new RateSchedule(start);

  private void segment(RateFunction rate, double untilSecond) {
    schedule.append(rate, false);
    schedule.endSegment(start + Math.round(untilSecond * SECOND));
  }

  private Arrivals arrivals(double share, double offset) {
    return new Arrivals(schedule, share, offset, 0, null, clock);
  }

  private List<Double> seconds(Arrivals arrivals) {
    List<Double> seconds = new ArrayList<>();
    for (long intended = arrivals.nextIntended();
        intended != Arrivals.NEVER;
        intended = arrivals.nextIntended()) {
      assertThat(intended).isNotEqualTo(Arrivals.LATER);
      seconds.add((intended - start) / 1e9);
      arrivals.sent();
    }
    return seconds;
  }

  @Test
  void messagesOfOneProducerAreEvenlySpaced() {
    segment(new ConstantRate(8), 2);
    schedule.close();

    assertThat(seconds(arrivals(0.5, 0)))
        .containsExactly(0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75);
    assertThat(seconds(arrivals(0.25, 0.5))).containsExactly(0.25, 0.75, 1.25, 1.75);
  }

  @Test
  void segmentsJoinWithoutAGap() {
    segment(new ConstantRate(4), 1.1);
    segment(new ConstantRate(10), 2);
    schedule.close();

    // The rate has yielded 4.4 messages at 1.1 s; the fifth follows when the rate has yielded 0.6
    // more.
    assertThat(seconds(arrivals(1, 0)).subList(4, 7)).containsExactly(1.0, 1.16, 1.26);
  }

  @Test
  void aSegmentThatEndsTooLateNeverMovesIntendedSendsBack() {
    schedule.append(new ConstantRate(10), false);
    Arrivals arrivals = arrivals(1, 0);
    for (int i = 0; i < 20; i++) {
      assertThat(arrivals.nextIntended()).isEqualTo(start + i * SECOND / 10);
      arrivals.sent();
    }
    // Messages up to 1.9 s are sent. A higher rate from second 1 on would put the next one at 1.1
    // s.
    schedule.endSegment(start + SECOND);
    schedule.append(new ConstantRate(100), false);
    assertThat(arrivals.nextIntended()).isEqualTo(start + 19 * SECOND / 10);
    arrivals.sent();
    assertThat(arrivals.nextIntended()).isGreaterThanOrEqualTo(start + 19 * SECOND / 10);
  }

  @Test
  void aSegmentEndedBeforeAMessageWithdrawsItsIntendedSend() {
    schedule.append(new ConstantRate(1), false);
    Arrivals arrivals = arrivals(1, 0.5);
    assertThat(arrivals.nextIntended()).isEqualTo(start + SECOND / 2);
    arrivals.sent();
    assertThat(arrivals.nextIntended()).isEqualTo(start + 3 * SECOND / 2);

    schedule.endSegment(start + SECOND);
    assertThat(arrivals.nextIntended()).isEqualTo(Arrivals.LATER);
    schedule.append(new ConstantRate(5), false);

    // Half a message remains: a tenth of a second at the new rate.
    assertThat(arrivals.nextIntended()).isEqualTo(start + 11 * SECOND / 10);
  }

  @Test
  void aRateOfZeroSendsNothing() {
    schedule.append(new ConstantRate(0), false);
    Arrivals arrivals = arrivals(1, 0);
    arrivals.sent();

    assertThat(arrivals.nextIntended()).isEqualTo(Arrivals.LATER);
  }

  @Test
  void atMaximumThroughputTheIntendedSendIsNow() {
    schedule.append(null, false);
    Arrivals arrivals = arrivals(1, 0);
    assertThat(arrivals.nextIntended()).isEqualTo(start);
    arrivals.sent();
    clock.advance(SECOND);
    assertThat(arrivals.nextIntended()).isEqualTo(start + SECOND);

    schedule.endSegment(start + SECOND);
    schedule.append(new ConstantRate(2), false);
    assertThat(arrivals.nextIntended()).isEqualTo(start + SECOND);
    arrivals.sent();
    assertThat(arrivals.nextIntended()).isEqualTo(start + 3 * SECOND / 2);
  }

  @Test
  void aBoundedSegmentEndsWithItsVolumeAndTheNextOneContinuesFromThere() {
    schedule.append(new ConstantRate(10), true);
    Arrivals arrivals = new Arrivals(schedule, 1, 0, 3, null, clock);
    for (int i = 0; i < 3; i++) {
      assertThat(arrivals.volumeSent()).isFalse();
      assertThat(arrivals.nextIntended()).isEqualTo(start + i * SECOND / 10);
      arrivals.sent();
    }
    assertThat(arrivals.nextIntended()).isEqualTo(Arrivals.LATER);
    assertThat(arrivals.volumeSent()).isTrue();

    schedule.endSegment(start + 5 * SECOND);
    schedule.append(new ConstantRate(10), false);
    assertThat(arrivals.nextIntended()).isEqualTo(start + 5 * SECOND);
    assertThat(arrivals.volumeSent()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"0, 3, 7", "0.5, 0.3, 1000003", "0.999, 0.001, 12345"})
  void unsentMessagesAreThoseStillOverdue(double offset, double share, double rate) {
    segment(new ConstantRate(rate), 1.7);
    segment(new ConstantRate(rate / 3), 2.1);
    schedule.close();
    long all = seconds(arrivals(share, offset)).size();

    Arrivals arrivals = arrivals(share, offset);
    OverdueMessages left = arrivals.unsent();
    assertThat(left.messages()).isEqualTo(all);
    List<Double> intended = seconds(arrivals(share, offset));
    assertThat((left.firstNanoTime() - start) / 1e9).isCloseTo(intended.get(0), within(1e-6));
    assertThat((left.lastNanoTime() - start) / 1e9)
        .isCloseTo(intended.get(intended.size() - 1), within(1e-6));
    Arrivals behind = arrivals(share, offset);
    behind.nextIntended();
    behind.sent();
    assertThat(behind.unsent().messages()).isEqualTo(all - 1);
  }

  @Test
  void roundingErrorsDoNotAccumulateOver36Hours() {
    long message = 3_000_000L * 36 * 3600 + 7;
    ConstantRate rate = new ConstantRate(3_000_000);
    double exact = 36 * 3600e9 + 7 * 1e9 / 3_000_000;

    assertThat((double) rate.nanosAt(message)).isCloseTo(exact, within(64.0));
  }

  @Test
  void poissonArrivalsHaveTheirRateAndVarianceAndRepeatForASeed() {
    segment(new ConstantRate(1000), 100);
    schedule.close();
    List<Double> times = seconds(poisson(7));

    assertThat((double) times.size()).isCloseTo(100_000, within(1500.0));
    double mean = times.get(times.size() - 1) / times.size();
    double square = 0;
    for (int i = 1; i < times.size(); i++) {
      double gap = times.get(i) - times.get(i - 1) - mean;
      square += gap * gap;
    }
    // The standard deviation of exponential gaps equals their mean.
    assertThat(Math.sqrt(square / times.size())).isCloseTo(mean, within(0.05 * mean));
    assertThat(seconds(poisson(7))).isEqualTo(times);
    assertThat(seconds(poisson(8))).isNotEqualTo(times);
  }

  private Arrivals poisson(long seed) {
    return new Arrivals(schedule, 1, 0, 0, new SplittableRandom(seed), clock);
  }

  @Test
  void burstsKeepTheMeanAndFillTheirPartOfEachPeriod() {
    segment(new BurstRate(new ConstantRate(100), Duration.ofSeconds(1), Duration.ofMillis(100)), 3);
    schedule.close();
    List<Double> times = seconds(arrivals(1, 0.5));

    assertThat(times).hasSize(300);
    assertThat(times).allSatisfy(time -> assertThat(time % 1).isLessThanOrEqualTo(0.1));
    assertThat(times.get(101) - times.get(100)).isCloseTo(0.001, within(1e-6));
  }
}
