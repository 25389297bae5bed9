// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import io.tailrace.loadgen.ship.OtlpTls;
import java.net.URI;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The option for the collector's address, which run and ship share. */
final class OtlpEndpoint {
  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--otlp-endpoint",
      required = true,
      paramLabel = "URL",
      description = "The collector's OTLP/HTTP receiver, without a path.")
  private URI endpoint;

  /** The address of an HTTP server; refuses others, and certificates that cannot be read. */
  URI checked() {
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
    return endpoint;
  }
}
