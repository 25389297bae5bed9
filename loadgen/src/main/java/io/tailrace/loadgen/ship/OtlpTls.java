// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Certificates for an https collector: PEM files named by OpenTelemetry's standard environment
 * variables. They are read once; a renewed certificate takes effect at the next run.
 *
 * @param authorities certificates of the authorities that may sign the collector's certificate;
 *     absent: those of the JVM
 * @param identity this process's own key and certificate; absent: it presents none
 */
public record OtlpTls(Optional<byte[]> authorities, Optional<Identity> identity) {
  public static final String AUTHORITIES = "OTEL_EXPORTER_OTLP_CERTIFICATE";
  public static final String KEY = "OTEL_EXPORTER_OTLP_CLIENT_KEY";
  public static final String CERTIFICATE = "OTEL_EXPORTER_OTLP_CLIENT_CERTIFICATE";

  /** The JVM's authorities and no identity. */
  public static final OtlpTls NONE = new OtlpTls(Optional.empty(), Optional.empty());

  /** A PKCS#8 private key and its certificates, both PEM. */
  public record Identity(byte[] key, byte[] certificate) {}

  /** Reads the files that the environment names; refuses one that does not fit, in one line. */
  public static OtlpTls of(Map<String, String> environment) {
    Optional<byte[]> key = file(environment, KEY);
    Optional<byte[]> certificate = file(environment, CERTIFICATE);
    if (key.isPresent() != certificate.isPresent()) {
      String missing = key.isPresent() ? CERTIFICATE : KEY;
      throw new IllegalArgumentException(
          missing + ": is not set; set both " + KEY + " and " + CERTIFICATE);
    }
    Optional<byte[]> authorities = file(environment, AUTHORITIES);
    authorities.ifPresent(pem -> checkCertificates(AUTHORITIES, environment, pem));
    certificate.ifPresent(pem -> checkCertificates(CERTIFICATE, environment, pem));
    key.ifPresent(pem -> checkKey(environment, pem));
    return new OtlpTls(authorities, key.map(k -> new Identity(k, certificate.orElseThrow())));
  }

  private static Optional<byte[]> file(Map<String, String> environment, String name) {
    String path = environment.getOrDefault(name, "");
    if (path.isEmpty()) {
      return Optional.empty();
    }
    try {
      return Optional.of(Files.readAllBytes(Path.of(path)));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          name + "=" + path + ": cannot be read; name a PEM file", e);
    }
  }

  private static void checkCertificates(String name, Map<String, String> environment, byte[] pem) {
    try {
      CertificateFactory factory = CertificateFactory.getInstance("X.509");
      if (!factory.generateCertificates(new ByteArrayInputStream(pem)).isEmpty()) {
        return;
      }
    } catch (CertificateException e) {
      throw notPem(name, environment, "certificates", e);
    }
    throw notPem(name, environment, "certificates", null);
  }

  private static void checkKey(Map<String, String> environment, byte[] pem) {
    if (!new String(pem, StandardCharsets.ISO_8859_1).contains("-----BEGIN PRIVATE KEY-----")) {
      throw notPem(KEY, environment, "a private key in PKCS#8", null);
    }
  }

  private static IllegalArgumentException notPem(
      String name, Map<String, String> environment, String what, Exception cause) {
    return new IllegalArgumentException(
        name + "=" + environment.get(name) + ": is not a PEM file of " + what, cause);
  }

  void applyTo(Consumer<byte[]> trust, BiConsumer<byte[], byte[]> identify) {
    authorities.ifPresent(trust);
    identity.ifPresent(own -> identify.accept(own.key(), own.certificate()));
  }
}
