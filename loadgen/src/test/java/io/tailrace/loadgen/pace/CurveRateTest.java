// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.tailrace.loadgen.pace.CurveRate.Point;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CurveRateTest {
  private static final long SECOND = 1_000_000_000L;

  // 0…10 s at 100, up to 300 by 20 s, a step down to 0 for 10 s, then 50.
  private final CurveRate curve =
      new CurveRate(List.of(at(10, 100), at(20, 300), at(20, 0), at(30, 0), at(30, 50)));

  private static Point at(int second, double rate) {
    return new Point(Duration.ofSeconds(second), rate);
  }

  @Test
  void theNumberOfMessagesIsTheAreaUnderTheCurve() {
    assertThat(curve.messagesBy(10 * SECOND)).isCloseTo(1000, within(1e-6));
    assertThat(curve.messagesBy(15 * SECOND)).isCloseTo(1750, within(1e-6));
    assertThat(curve.messagesBy(20 * SECOND)).isCloseTo(3000, within(1e-6));
    assertThat(curve.messagesBy(29 * SECOND)).isCloseTo(3000, within(1e-6));
    assertThat(curve.messagesBy(40 * SECOND)).isCloseTo(3500, within(1e-6));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, 0.5, 999.5, 1000, 1000.25, 1750, 2999.9, 3000.5, 123456})
  void theTimeOfAMessageIsTheInverseOfTheArea(double messages) {
    long nanos = curve.nanosAt(messages);

    assertThat(curve.messagesBy(nanos)).isCloseTo(messages, within(1e-5));
  }

  @Test
  void noMessageIsIntendedWhileTheRateIsZero() {
    assertThat(curve.nanosAt(3000.001)).isGreaterThanOrEqualTo(30 * SECOND);
    CurveRate ends = new CurveRate(List.of(at(0, 10), at(1, 0)));
    assertThat(ends.nanosAt(4.9)).isLessThan(SECOND);
    assertThat(ends.nanosAt(6)).isEqualTo(Long.MAX_VALUE);
  }
}
