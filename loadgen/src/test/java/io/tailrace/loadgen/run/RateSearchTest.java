// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RateSearchTest {
  @ParameterizedTest
  @ValueSource(doubles = {700, 12_345, 250_000, 3_000_000})
  void comesNearWhatTheBrokersFollow(double capacity) {
    RateSearch search = new RateSearch();
    for (int step = 0; step < 100; step++) {
      boolean over = search.rate() > capacity;
      search.step(over ? 5_000_000_000L : 0, Math.min(search.rate(), capacity), 0, 1);
    }

    assertThat(search.found()).isLessThanOrEqualTo(capacity);
    assertThat(search.found()).isCloseTo(capacity, within(capacity * 0.05));
  }
}
