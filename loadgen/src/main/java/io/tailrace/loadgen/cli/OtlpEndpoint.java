// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import io.tailrace.loadgen.ship.OtlpTls;
import java.net.URI;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Checks the option --otlp-endpoint. */
final class OtlpEndpoint {
  private OtlpEndpoint() {}

  /**
   * Refuses what is not the address of an HTTP server, and unreadable certificates of the
   * environment.
   */
  static void check(URI endpoint, CommandSpec command) {
    String scheme = String.valueOf(endpoint.getScheme());
    if (!scheme.matches("https?") || endpoint.getHost() == null) {
      throw new ParameterException(
          command.commandLine(), "--otlp-endpoint: not http://HOST:PORT: " + endpoint);
    }
    try {
      OtlpTls.of(System.getenv());
    } catch (IllegalArgumentException e) {
      throw new ParameterException(command.commandLine(), e.getMessage(), e);
    }
  }
}
