// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.kafka;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.CommonClientConfigs;

/**
 * The client id and rack of a client: the driver's, with this worker's zone in them, or the
 * client's own name. Brokers of some clouds read the zone from either.
 */
final class ClientIdentity {
  private static final String PROPERTY = "zone.id";
  private static final String VARIABLE = "TAILRACE_ZONE_ID";
  private static final String TEMPLATE = "{" + PROPERTY + "}";

  private ClientIdentity() {}

  /** Sets both in {@code config}, and returns the client id. */
  static String set(Map<String, Object> config, String own) {
    return set(
        config,
        own,
        Optional.ofNullable(System.getProperty(PROPERTY, System.getenv(VARIABLE)))
            .filter(zone -> !zone.isBlank()));
  }

  static String set(Map<String, Object> config, String own, Optional<String> zone) {
    config.putIfAbsent(CommonClientConfigs.CLIENT_ID_CONFIG, own);
    for (String name :
        List.of(CommonClientConfigs.CLIENT_ID_CONFIG, CommonClientConfigs.CLIENT_RACK_CONFIG)) {
      config.computeIfPresent(name, (key, value) -> inZone(key, value.toString(), zone));
    }
    return config.get(CommonClientConfigs.CLIENT_ID_CONFIG).toString();
  }

  private static String inZone(String name, String value, Optional<String> zone) {
    if (!value.contains(TEMPLATE)) {
      return value;
    }
    return value.replace(
        TEMPLATE,
        zone.orElseThrow(
            () ->
                new BadInputException(
                    name
                        + "="
                        + value
                        + ": this worker's zone is not known; set "
                        + VARIABLE
                        + " in its environment, or remove "
                        + TEMPLATE)));
  }
}
