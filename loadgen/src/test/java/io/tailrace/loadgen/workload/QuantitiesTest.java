// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QuantitiesTest {
  @ParameterizedTest
  @CsvSource({"500ms,PT0.5S", "90s,PT1M30S", "15m,PT15M", "36h,PT36H", "0s,PT0S", "8784h,PT8784H"})
  void readsAWholeNumberWithAUnit(String text, Duration expected) {
    assertThat(Quantities.duration(text)).contains(expected);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "5",
        "5 s",
        "-5s",
        "1.5h",
        "5d",
        "s",
        "8785h",
        "999999999999h",
        "9999999999999s"
      })
  void refusesTheRest(String text) {
    assertThat(Quantities.duration(text)).isEmpty();
  }
}
