// SPDX-License-Identifier: Apache-2.0
package io.tailrace.brokeragent;

import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The agent's argument, {@code broker=1,collector=http://127.0.0.1:4318,shipping=FOLDER}.
 *
 * @param broker the broker's number
 * @param collector base of the collector's OTLP/HTTP receiver
 * @param shipping folder of shipping.jar and lib/
 */
public record AgentOptions(int broker, URI collector, Path shipping) {
  /** Reads the argument; refuses a bad one in one line. */
  static AgentOptions of(String argument) {
    Map<String, String> given = new HashMap<>();
    for (String each : argument == null ? new String[0] : argument.split(",")) {
      String[] pair = each.split("=", 2);
      given.put(pair[0], pair.length == 2 ? pair[1] : "");
    }
    for (String name : given.keySet()) {
      if (!Arrays.asList("broker", "collector", "shipping").contains(name)) {
        throw new IllegalArgumentException(
            name + " is no option; those are broker, collector and shipping");
      }
    }
    Path shipping = Path.of(required(given, "shipping"));
    if (!Files.isRegularFile(shipping.resolve("shipping.jar"))) {
      throw new IllegalArgumentException(
          "shipping=" + shipping + " has no shipping.jar; run make setup");
    }
    return new AgentOptions(
        number(required(given, "broker")), URI.create(required(given, "collector")), shipping);
  }

  private static String required(Map<String, String> given, String name) {
    String value = given.getOrDefault(name, "");
    if (value.isEmpty()) {
      throw new IllegalArgumentException("the option " + name + " is missing");
    }
    return value;
  }

  private static int number(String text) {
    try {
      int number = Integer.parseInt(text);
      if (number >= 0) {
        return number;
      }
    } catch (NumberFormatException e) {
      // The same line for both.
    }
    throw new IllegalArgumentException("broker=" + text + " must be a broker's number");
  }
}
