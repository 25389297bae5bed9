// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.cli;

import io.tailrace.loadgen.agreement.AgreementEndpoint;
import io.tailrace.loadgen.agreement.PemTls;
import io.tailrace.loadgen.ship.OtlpTls;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.security.GeneralSecurityException;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The options with which the workers of one run find worker 0 and trust each other. */
final class AgreementOptions {
  /** Variable with the token, where no file holds it. */
  static final String TOKEN = "TAILRACE_AGREEMENT_TOKEN";

  private static final int SHORTEST_TOKEN = 16;

  @Spec(Spec.Target.MIXEE)
  private CommandSpec command;

  @Option(
      names = "--agreement-url",
      paramLabel = "URL",
      description = {
        "Where worker 0 answers the other workers: http://HOST:PORT, or https with the certificates",
        "in OTEL_EXPORTER_OTLP_CERTIFICATE, _CLIENT_CERTIFICATE and _CLIENT_KEY. The same for all",
        "workers; required for more than one."
      })
  private URI url;

  @Option(
      names = "--agreement-listen",
      paramLabel = "HOST:PORT",
      description = "Where worker 0 listens. Default: the host and port of --agreement-url.")
  private String listen;

  @Option(
      names = "--agreement-token-file",
      paramLabel = "FILE",
      description = {
        "Secret of the run that every worker presents, of at least 16 characters; not readable by",
        "other users. Default: the variable " + TOKEN + "."
      })
  private Path tokenFile;

  AgreementEndpoint endpoint(WorkerNumber number) {
    if (number.workers() == 1) {
      return null;
    }
    if (url == null) {
      String line =
          "--worker %d/%d: give all workers one --agreement-url, where worker 0 answers the others";
      throw refused(line.formatted(number.worker(), number.workers()));
    }
    check(url, "--agreement-url: not http://HOST:PORT or https://HOST:PORT: " + url);
    URI listenAt = listen == null ? url : listenAddress();
    return new AgreementEndpoint(url, listenAt, token(), tls());
  }

  private URI listenAddress() {
    String problem = "--agreement-listen: not HOST:PORT: " + listen;
    try {
      URI address = URI.create(url.getScheme() + "://" + listen);
      check(address, problem);
      return address;
    } catch (IllegalArgumentException e) {
      throw refused(problem);
    }
  }

  private void check(URI address, String problem) {
    String scheme = String.valueOf(address.getScheme());
    boolean bare = address.getPath() == null || address.getPath().matches("/?");
    if (!scheme.matches("https?") || address.getHost() == null || address.getPort() < 1 || !bare) {
      throw refused(problem);
    }
  }

  private String token() {
    String where = tokenFile == null ? TOKEN : "--agreement-token-file " + tokenFile;
    String token = tokenFile == null ? System.getenv(TOKEN) : read(tokenFile);
    if (token == null) {
      throw refused(
          "the run's token is missing: name a file with --agreement-token-file, or set " + TOKEN);
    }
    if (!token.matches("[!-~]{" + SHORTEST_TOKEN + ",}")) {
      throw refused(
          where + ": a token has at least " + SHORTEST_TOKEN + " printable characters, no spaces");
    }
    return token;
  }

  private String read(Path file) {
    try {
      if (Files.getPosixFilePermissions(file).contains(PosixFilePermission.OTHERS_READ)) {
        throw refused("--agreement-token-file " + file + ": every user can read it; chmod 600 it");
      }
      return Files.readString(file).strip();
    } catch (IOException e) {
      throw refused("--agreement-token-file " + file + ": cannot be read: " + e.getMessage());
    }
  }

  private Optional<SSLContext> tls() {
    if (!url.getScheme().equals("https")) {
      return Optional.empty();
    }
    OtlpTls files = OtlpTls.of(System.getenv());
    if (files.authorities().isEmpty() || files.identity().isEmpty()) {
      String names = String.join(", ", OtlpTls.AUTHORITIES, OtlpTls.CERTIFICATE, OtlpTls.KEY);
      throw refused("--agreement-url " + url + ": https needs " + names);
    }
    OtlpTls.Identity own = files.identity().get();
    try {
      return Optional.of(PemTls.context(files.authorities().get(), own.certificate(), own.key()));
    } catch (GeneralSecurityException | IOException e) {
      throw refused(OtlpTls.CERTIFICATE + " and " + OtlpTls.KEY + " do not fit: " + e.getMessage());
    }
  }

  private ParameterException refused(String line) {
    return new ParameterException(command.commandLine(), line);
  }
}
