// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ClientIdentityTest {
  private static final Optional<String> ZONE = Optional.of("us-east-1a");

  @Test
  void aClientWithoutTheDriversIdHasItsOwn() {
    Map<String, Object> config = new HashMap<>();
    assertThat(ClientIdentity.set(config, "run-producer-0", Optional.empty()))
        .isEqualTo("run-producer-0");
    assertThat(config).isEqualTo(Map.of("client.id", "run-producer-0"));
  }

  @Test
  void theDriversIdAndRackAreKeptWithTheZone() {
    Map<String, Object> config =
        new HashMap<>(Map.of("client.id", "omb,az={zone.id}", "client.rack", "{zone.id}"));
    assertThat(ClientIdentity.set(config, "run-consumer-0", ZONE)).isEqualTo("omb,az=us-east-1a");
    assertThat(config)
        .isEqualTo(Map.of("client.id", "omb,az=us-east-1a", "client.rack", "us-east-1a"));
  }

  @Test
  void aReReadIsInTheZoneOfItsWorker() {
    System.setProperty("zone.id", "us-east-1a");
    try {
      assertThat(LogReader.config(Map.of("client.rack", "{zone.id}", "group.id", "g"), "run"))
          .containsEntry("client.rack", "us-east-1a")
          .containsEntry("client.id", "run-reread")
          .doesNotContainKey("group.id");
    } finally {
      System.clearProperty("zone.id");
    }
  }

  @Test
  void anUnknownZoneIsOneLine() {
    Map<String, Object> config = new HashMap<>(Map.of("client.rack", "{zone.id}"));
    assertThatThrownBy(() -> ClientIdentity.set(config, "own", Optional.empty()))
        .isInstanceOf(BadInputException.class)
        .hasMessage(
            "client.rack={zone.id}: this worker's zone is not known; set TAILRACE_ZONE_ID in its"
                + " environment, or remove {zone.id}");
  }
}
