// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClientConfigTest {
  @ParameterizedTest
  @ValueSource(
      strings = {"localhost:9092", "a:1, b-2.c:65535", "127.0.0.1:1", "[::1]:9092", "SSL://a_b:1"})
  void takesHostsWithPorts(String list) {
    assertThat(ClientConfig.badServers(list)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "a", ":1", "a:", "a:0", "a:65536", "a:1,", "a:1;b:2", "::1:9092", "a b:1"})
  void refusesTheRest(String list) {
    assertThat(ClientConfig.badServers(list)).isPresent();
  }
}
