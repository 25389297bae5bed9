// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProblemsTest {
  @ParameterizedTest
  @CsvSource({
    "'','',0",
    "abc,abc,0",
    "abc,abd,1",
    "abc,ab,1",
    "abc,xabc,1",
    "abc,acb,1",
    "ca,abc,3",
    "'',abc,3",
  })
  void distanceCountsEditsAndSwaps(String a, String b, int expected) {
    assertThat(Problems.distance(a, b)).isEqualTo(expected);
    assertThat(Problems.distance(b, a)).isEqualTo(expected);
  }

  @Test
  void caseDoesNotMatterAndTiesGoToTheFirst() {
    assertThat(Problems.nearest("TOPICS", List.of("topics", "name"))).isEqualTo("topics");
    assertThat(Problems.nearest("b", List.of("d", "a", "c"))).isEqualTo("a");
  }
}
