// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.loadgen.workload.Behaviour.AbortSpec;
import java.time.Duration;
import java.util.OptionalDouble;
import org.junit.jupiter.api.Test;

class AbortWatchTest {
  private static final long SECOND = 1_000_000_000L;

  private long behind;

  private AbortWatch watch(Duration late, OptionalDouble errors) {
    return new AbortWatch(new AbortSpec(late, errors, Duration.ofSeconds(10)), () -> behind);
  }

  @Test
  void theScheduleMayBeBehindUpToItsBound() {
    AbortWatch watch = watch(Duration.ofSeconds(2), OptionalDouble.empty());
    behind = 2 * SECOND;
    assertThat(watch.check(0, 10, 0)).isEmpty();
    behind = 2 * SECOND + 1;
    assertThat(watch.check(1_000, 10, 0)).as("too soon after the last look").isEmpty();
    assertThat(watch.check(SECOND, 10, 0))
        .hasValue("abortWhen.behind: a producer was 2.0 s behind its schedule, 2 s are allowed");
  }

  @Test
  void errorsAreJudgedOverAFullWindowOnly() {
    AbortWatch watch = watch(Duration.ZERO, OptionalDouble.of(0.01));
    behind = 99 * SECOND;
    for (int second = 0; second < 10; second++) {
      assertThat(watch.check(second * SECOND, 100L * second, 5L * second)).isEmpty();
    }
    assertThat(watch.check(10 * SECOND, 950, 50))
        .hasValue(
            "abortWhen.errorRate: 50 of 1000 messages of the last 10 s failed, a share of 0.0500;"
                + " 0.01 is allowed");
  }

  @Test
  void errorsThatHavePassedAreForgotten() {
    AbortWatch watch = watch(Duration.ZERO, OptionalDouble.of(0.01));
    watch.check(0, 0, 0);
    watch.check(SECOND, 0, 1000);
    for (int second = 2; second < 11; second++) {
      watch.check(second * SECOND, 100L * second, 1000);
    }

    assertThat(watch.check(11 * SECOND, 1100, 1000)).isEmpty();
  }
}
