// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.run.SteadyState.Window;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** Simulated warm-ups: each window's level times noise; the p99 is noisier than the p50. */
class SteadyStateTest {
  private static final int MOST = 400;
  private static final int SOONEST = SteadyState.WINDOWS + SteadyState.CALM - 1;

  private static Window window(double level, double compiling, double noise, Random dice) {
    return new Window(
        2000 * level * Math.exp(noise * dice.nextGaussian()),
        9000 * level * Math.exp(3 * noise * dice.nextGaussian()),
        10 * level * Math.exp(noise * dice.nextGaussian()),
        compiling);
  }

  /** Windows until the load counts as steady; {@link #MOST} if it never does. */
  private static int steadyAfter(
      IntToDoubleFunction level, IntToDoubleFunction compiling, double noise, long seed) {
    SteadyState state = new SteadyState();
    Random dice = new Random(seed);
    for (int i = 0; i < MOST && !state.reached(); i++) {
      state.add(window(level.applyAsDouble(i), compiling.applyAsDouble(i), noise, dice));
      if (state.reached()) {
        return i + 1;
      }
    }
    return MOST;
  }

  private static int[] sortedTrials(IntToDoubleFunction level) {
    int[] after = new int[200];
    Arrays.setAll(after, trial -> steadyAfter(level, i -> 0, 0.15, trial));
    Arrays.sort(after);
    return after;
  }

  @Test
  void whiteNoiseIsSteadyAtOnceInMostTrialsAndSoonInAll() {
    int[] after = sortedTrials(i -> 1);
    assertThat(Arrays.stream(after).filter(n -> n == SOONEST).count()).isGreaterThanOrEqualTo(180);
    assertThat(after[after.length - 1]).isLessThanOrEqualTo(2 * SOONEST);
  }

  @Test
  void aDecayIsSteadyWhenLittleIsLeftOfIt() {
    int[] after = sortedTrials(i -> 1 + 4 * Math.exp(-i / 20.0));
    // Excess over the level at which it ends: below 15 % in 95 of 100 trials, 10 % in half of them.
    assertThat(4 * Math.exp(-after[after.length / 20] / 20.0)).isLessThan(0.15);
    assertThat(4 * Math.exp(-after[after.length / 2] / 20.0)).isLessThan(0.10);
  }

  @Test
  void aStepStartsTheWaitAgain() {
    int step = SteadyState.WINDOWS - 5;
    int after = steadyAfter(i -> i < step ? 1 : 2, i -> 0, 0.05, 3);
    assertThat(after).isGreaterThan(step + SteadyState.WINDOWS / 2).isLessThan(MOST);
  }

  @Test
  void aBusyCompilerIsNotSteady() {
    int settled = 100;
    int after = steadyAfter(i -> 1, i -> i < settled ? 0.4 : 0.01, 0.05, 4);
    assertThat(after).isGreaterThan(settled).isLessThan(settled + SOONEST);
    assertThat(steadyAfter(i -> 1, i -> 0.4, 0.05, 4)).isEqualTo(MOST);
  }

  @Test
  void whatStillMovesIsNamedWithItsFigures() {
    SteadyState state = new SteadyState();
    assertThat(state.moving()).isEqualTo("0 of 30 seconds with enough messages were seen");
    for (int i = 0; i < SteadyState.WINDOWS; i++) {
      state.add(new Window(2000 - 50 * i, 9000, 10, 0.25));
    }
    assertThat(state.reached()).isFalse();
    assertThat(state.moving())
        .isEqualTo(
            "publish latency p50 fell by 45 % within 30 s (1.7 ms to 900.0 µs)"
                + ", the JIT compiler took 25 % of a core");
  }
}
