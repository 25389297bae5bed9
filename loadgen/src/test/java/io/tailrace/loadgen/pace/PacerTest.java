// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.pace;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class PacerTest {
  private static final long SECOND = 1_000_000_000L;

  private final FakeClock clock = new FakeClock();

  @Test
  void waitsUntilTheTimeDespiteSpuriousWakeups() {
    List<Long> sleeps = new ArrayList<>();
    Pacer pacer =
        new Pacer(
            clock,
            nanos -> {
              sleeps.add(nanos);
              clock.advance((nanos + 1) / 2);
            });
    long intended = clock.nanoTime() + 1000;

    assertThat(pacer.awaitUntil(intended)).isEqualTo(intended);
    assertThat(sleeps).startsWith(1000L, 500L, 250L).endsWith(1L);
  }

  @Test
  void doesNotWaitForAMessageThatIsOverdue() {
    Pacer pacer = new Pacer(clock, nanos -> clock.advance(SECOND));

    assertThat(pacer.awaitUntil(clock.nanoTime() - 5)).isEqualTo(clock.nanoTime());
  }

  @Test
  void aStallOfTenSecondsDelaysEveryMessageIntendedInIt() {
    long start = clock.nanoTime();
    RateSchedule schedule = new RateSchedule(start);
    schedule.append(new ConstantRate(100), false);
    schedule.endSegment(start + 30 * SECOND);
    schedule.close();
    Arrivals arrivals = new Arrivals(schedule, 1, 0, 0, null, clock);
    Pacer pacer = new Pacer(clock, clock::advance);
    List<Long> delays = new ArrayList<>();

    for (long intended = arrivals.nextIntended();
        intended != Arrivals.NEVER;
        intended = arrivals.nextIntended()) {
      long sent = pacer.awaitUntil(intended);
      delays.add(clock.epochMicros(sent) - clock.epochMicros(intended));
      arrivals.sent();
      if (delays.size() == 501) {
        clock.advance(10 * SECOND);
      }
    }

    assertThat(delays).hasSize(3000);
    assertThat(delays.subList(0, 501)).containsOnly(0L);
    // The first message intended in the stall is delayed by almost all of it, the last one by
    // almost nothing.
    for (int late = 1; late <= 1000; late++) {
      assertThat(delays.get(500 + late)).isEqualTo((10 * SECOND - late * SECOND / 100) / 1000);
    }
    assertThat(delays.subList(1501, 3000)).containsOnly(0L);
  }

  @Test
  void stopWakesAThreadThatWaits() throws InterruptedException {
    Pacer pacer = new Pacer(NanoClock.system());
    CountDownLatch returned = new CountDownLatch(1);
    Thread thread =
        new Thread(
            () -> {
              pacer.awaitUntil(System.nanoTime() + 3600 * SECOND);
              returned.countDown();
            });
    thread.start();
    pacer.stop();

    assertThat(returned.await(10, TimeUnit.SECONDS)).isTrue();
    assertThat(pacer.stopped()).isTrue();
  }
}
