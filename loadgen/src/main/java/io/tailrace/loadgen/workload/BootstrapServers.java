// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.workload;

import java.util.Arrays;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The form of a list of brokers. */
public final class BootstrapServers {
  private static final Pattern SERVER =
      Pattern.compile("(?:[\\w.-]+://)?(?:[\\w.%-]+|\\[[\\da-fA-F:.%]+]):(\\d{1,5})");

  private BootstrapServers() {}

  /** Why {@code list} is no {@code HOST:PORT,…}, in a few words, or empty when it is. */
  public static Optional<String> problem(String list) {
    return Arrays.stream(list.split(",", -1))
        .map(String::strip)
        .filter(server -> !isServer(server))
        .findFirst()
        .map(server -> server.isEmpty() ? "a server is empty" : server + " is not HOST:PORT");
  }

  private static boolean isServer(String text) {
    Matcher matcher = SERVER.matcher(text);
    return matcher.matches()
        && Integer.parseInt(matcher.group(1)) >= 1
        && Integer.parseInt(matcher.group(1)) <= 65_535;
  }
}
