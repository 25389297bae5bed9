// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.plan;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PlanParametersTest {
  @ParameterizedTest
  @CsvSource({
    "'',0,1,b:1,the run id must be a letter or digit",
    "..,0,1,b:1,the run id must be a letter or digit",
    "a b,0,1,b:1,the run id must be a letter or digit",
    "a,0,0,b:1,the number of workers must be from 1 to 65536",
    "a,0,65537,b:1,the number of workers must be from 1 to 65536",
    "a,2,2,b:1,worker 2 is not one of 2",
    "a,-1,2,b:1,worker -1 is not one of 2",
    "a,0,1,' ',bootstrap servers: a server is empty",
    "a,0,1,nonsense,bootstrap servers: nonsense is not HOST:PORT",
  })
  void refusesValuesOutsideTheirRange(
      String runId, int worker, int workers, String servers, String message) {
    assertThatThrownBy(() -> parameters(runId, worker, workers, servers))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @ParameterizedTest
  @CsvSource({"a,0,1", "A.b_c-9,65535,65536"})
  void acceptsValuesWithinTheirRange(String runId, int worker, int workers) {
    assertThatCode(() -> parameters(runId, worker, workers, "b:1")).doesNotThrowAnyException();
  }

  private static PlanParameters parameters(String runId, int worker, int workers, String servers) {
    return new PlanParameters(runId, worker, workers, OptionalLong.empty(), Optional.of(servers));
  }
}
