// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;

/** The longest that send() may block, and the longest from send() to the message's outcome. */
public record ProducerTimeouts(Duration send, Duration delivery) {

  /** Reads them from a producer configuration the client has accepted, defaults included. */
  public static ProducerTimeouts of(Map<String, String> config) {
    long delivery = millis(config, ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG);
    // The client raises a default delivery timeout that is below the sum of these two.
    long attempt =
        millis(config, ProducerConfig.LINGER_MS_CONFIG)
            + millis(config, ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG);
    return new ProducerTimeouts(
        Duration.ofMillis(millis(config, ProducerConfig.MAX_BLOCK_MS_CONFIG)),
        Duration.ofMillis(Math.max(delivery, attempt)));
  }

  private static long millis(Map<String, String> config, String key) {
    Object byDefault = ProducerConfig.configDef().defaultValues().get(key);
    return Long.parseLong(config.getOrDefault(key, byDefault.toString()).strip());
  }
}
