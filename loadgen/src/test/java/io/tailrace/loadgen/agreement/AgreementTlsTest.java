// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Workers that know each other by certificates, which keytool creates for the test. */
class AgreementTlsTest {
  private static final String PASSWORD = "changeit";
  private static final String TOKEN = "0123456789abcdef";

  @TempDir Path folder;

  /** A certificate that is its own authority, and its key. */
  private record Identity(byte[] certificate, byte[] key) {}

  @ParameterizedTest
  @ValueSource(strings = {"EC", "RSA"})
  void workersThatTrustEachOtherMeet(String algorithm) throws Exception {
    Identity own = identity("worker", algorithm);
    try (Leader leader = leader(own, own);
        Follower follower = follower(leader, own, own)) {
      await(follower::met);
      assertThat(follower.leaderLost()).isEmpty();
    }
  }

  @Test
  void aWorkerThatTheLeaderDoesNotTrustIsRefused() throws Exception {
    Identity own = identity("leader", "EC");
    try (Leader leader = leader(own, own);
        Follower outsider = follower(leader, own, identity("outsider", "EC"))) {
      await(() -> !outsider.leaderLost().orElse("no answer yet").endsWith("no answer yet"));
      assertThat(outsider.met()).isFalse();
      assertThat(leader.othersActive()).isFalse();
    }
  }

  private static Leader leader(Identity authority, Identity own) throws Exception {
    URI anyPort = URI.create("https://127.0.0.1:0");
    return new Leader(
        new AgreementEndpoint(anyPort, anyPort, TOKEN, Optional.of(context(authority, own))), 2);
  }

  private static Follower follower(Leader leader, Identity authority, Identity own)
      throws Exception {
    URI url = URI.create("https://127.0.0.1:" + leader.port());
    return Follower.start(
        new AgreementEndpoint(url, url, TOKEN, Optional.of(context(authority, own))), 1);
  }

  private static SSLContext context(Identity authority, Identity own) throws Exception {
    return PemTls.context(authority.certificate(), own.certificate(), own.key());
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).isLessThan(deadline);
      Thread.sleep(10);
    }
  }

  private Identity identity(String name, String algorithm) throws Exception {
    Path file = folder.resolve(name + ".p12");
    String keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    Process process =
        new ProcessBuilder(
                keytool,
                "-genkeypair",
                "-keyalg",
                algorithm,
                "-alias",
                name,
                "-dname",
                "CN=" + name,
                "-ext",
                "san=ip:127.0.0.1",
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream bytes = Files.newInputStream(file)) {
      store.load(bytes, PASSWORD.toCharArray());
    }
    return new Identity(
        pem("CERTIFICATE", store.getCertificate(name).getEncoded()),
        pem("PRIVATE KEY", store.getKey(name, PASSWORD.toCharArray()).getEncoded()));
  }

  private static byte[] pem(String type, byte[] bytes) {
    String text = Base64.getMimeEncoder().encodeToString(bytes);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n"
        .formatted(type, text, type)
        .getBytes(StandardCharsets.US_ASCII);
  }
}
