// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent.shipping;

import static org.assertj.core.api.Assertions.assertThat;

import io.tailrace.brokeragent.RequestRow;
import org.junit.jupiter.api.Test;

class RunNamesTest {
  private final RunNames names = new RunNames();

  private String of(String client, String topic) {
    RequestRow row = new RequestRow();
    row.clientId = client;
    row.topic = topic;
    return names.of(row);
  }

  @Test
  void aClientOfTheLoadGeneratorNamesItsRun() {
    assertThat(of("demo-20261123-1-producer-3", "orders")).isEqualTo("demo-20261123-1");
    assertThat(of("a-producer-consumer-12", "orders")).isEqualTo("a-producer");
  }

  @Test
  void otherClientsBelongToTheRunThatUsesTheTopic() {
    assertThat(of("broker-2-fetcher-0", "orders")).isEmpty();
    assertThat(of("r1-consumer-0", "orders")).isEqualTo("r1");
    assertThat(of("broker-2-fetcher-0", "orders")).isEqualTo("r1");
    assertThat(of("r2-producer-0", "orders")).isEqualTo("r2");
    assertThat(of("broker-2-fetcher-0", "orders")).isEqualTo("r2");
  }

  @Test
  void aTopicOfTheLoadGeneratorNamesItsRunToo() {
    assertThat(of("named-by-the-driver", "r3-0000001")).isEqualTo("r3");
    assertThat(of(null, "r3-0000001")).isEqualTo("r3");
  }

  @Test
  void programsThatAreNotTheLoadGeneratorHaveNoRun() {
    assertThat(of("producer-1", "t")).isEmpty();
    assertThat(of("consumer-group-1", "t")).isEmpty();
    assertThat(of("console-consumer", "t")).isEmpty();
  }
}
