// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;
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

  @Test
  void aBacklogIsJudgedByTheGroupsThatReadEachMessage() {
    RateSearch one = new RateSearch();
    RateSearch three = new RateSearch();
    double rate = one.rate();
    // Two seconds of one group's reading, and less than a second of three groups'.
    long backlog = Math.round(2 * rate);
    one.step(0, rate, backlog, 1);
    three.step(0, rate, backlog, 3);

    assertThat(one.lastResult()).startsWith("not followed");
    assertThat(three.lastResult()).startsWith("followed");
  }
}
