// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.ship;

import static io.tailrace.loadgen.ship.PipelineFixture.waitUntil;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.tailrace.loadgen.collector.FakeCollector;
import io.tailrace.loadgen.record.Recorders;
import io.tailrace.loadgen.spool.WorkerId;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.time.Duration;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A collector behind mutual TLS; keytool makes the certificates of both sides for the test. */
class OtlpTlsTest {
  private static final char[] PASSWORD = "changeit".toCharArray();

  @TempDir Path folder;

  @Test
  void blocksAndMetricsArriveBehindMutualTls() throws Exception {
    KeyStore server = made("server");
    KeyStore client = made("client");
    try (FakeCollector collector = new FakeCollector(listening(server, client))) {
      ShipReport report = shipped(collector, OtlpTls.of(environment(server, client)));
      assertThat(report.streams().get("publishes").stored()).isEqualTo(10);
      assertThat(report.ledgerCommitted()).isTrue();
      waitUntil("metrics", () -> !collector.metricRequests().isEmpty());
    }
  }

  @Test
  void aClientWithoutACertificateStoresNothing() throws Exception {
    KeyStore server = made("server");
    KeyStore outsider = made("outsider");
    try (FakeCollector collector = new FakeCollector(listening(server, made("client")))) {
      ShipReport report = shipped(collector, OtlpTls.of(environment(server, outsider)));
      assertThat(report.streams().get("publishes").stored()).isZero();
      assertThat(collector.committed()).isEmpty();
    }
  }

  @Test
  void aFileThatIsMissingIsNamed() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OtlpTls.of(Map.of(OtlpTls.AUTHORITIES, "/no/ca.pem")))
        .withMessage("OTEL_EXPORTER_OTLP_CERTIFICATE=/no/ca.pem: cannot be read; name a PEM file");
  }

  @Test
  void aFileOfAnotherKindIsNamed() throws Exception {
    String text = Files.writeString(folder.resolve("text"), "no certificate").toString();
    String empty = Files.writeString(folder.resolve("empty"), "").toString();
    for (String file : List.of(text, empty)) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> OtlpTls.of(Map.of(OtlpTls.AUTHORITIES, file)))
          .withMessage(OtlpTls.AUTHORITIES + "=" + file + ": is not a PEM file of certificates");
    }
    Map<String, String> own = new HashMap<>(environment(made("server"), made("client")));
    own.put(OtlpTls.KEY, own.get(OtlpTls.CERTIFICATE));
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OtlpTls.of(own))
        .withMessageContaining("is not a PEM file of a private key in PKCS#8");
  }

  @Test
  void aKeyAloneIsRefused() throws Exception {
    String key = Files.writeString(folder.resolve("key.pem"), "").toString();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> OtlpTls.of(Map.of(OtlpTls.KEY, key)))
        .withMessageStartingWith(OtlpTls.CERTIFICATE + ": is not set");
  }

  @Test
  void withoutVariablesTheJvmDecides() {
    assertThat(OtlpTls.of(Map.of(OtlpTls.KEY, ""))).isEqualTo(OtlpTls.NONE);
  }

  private static ShipReport shipped(FakeCollector collector, OtlpTls tls) {
    Recorders recorders = new Recorders(1 << 26);
    URI endpoint = collector.endpoint();
    PipelineConfig config =
        new PipelineConfig(
            endpoint, new WorkerId("run-1", 0), 4, 1 << 26, PipelineFixture.COUNTERS, tls);
    EventPipeline pipeline = EventPipeline.start(config, recorders, null);
    PipelineFixture.ack(recorders.publishes(0, "t"), 0, 10);
    return pipeline.finish(List.of(), Duration.ofSeconds(3));
  }

  private Map<String, String> environment(KeyStore server, KeyStore client) throws Exception {
    byte[] key = client.getKey("own", PASSWORD).getEncoded();
    return Map.of(
        OtlpTls.AUTHORITIES, pem("CERTIFICATE", server.getCertificate("own").getEncoded()),
        OtlpTls.KEY, pem("PRIVATE KEY", key),
        OtlpTls.CERTIFICATE, pem("CERTIFICATE", client.getCertificate("own").getEncoded()));
  }

  private String pem(String what, byte[] content) throws Exception {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    String whole = "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n";
    return Files.writeString(Files.createTempFile(folder, "", ".pem"), whole).toString();
  }

  private KeyStore made(String name) throws Exception {
    Path file = folder.resolve(name + ".p12");
    Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "own",
                "-keyalg",
                "EC",
                "-dname",
                "CN=" + name,
                "-ext",
                "SAN=IP:127.0.0.1",
                "-storepass",
                new String(PASSWORD),
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .start();
    String output = new String(keytool.getInputStream().readAllBytes());
    assertThat(keytool.waitFor()).as(output).isZero();
    KeyStore store = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(file)) {
      store.load(in, PASSWORD);
    }
    return store;
  }

  /** An https server that accepts only the client's certificate. */
  private static HttpsServer listening(KeyStore own, KeyStore client) throws Exception {
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, PASSWORD);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    trusted.setCertificateEntry("client", client.getCertificate("own"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    HttpsServer server = HttpsServer.create(address, 0);
    server.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters required = context.getDefaultSSLParameters();
            required.setNeedClientAuth(true);
            parameters.setSSLParameters(required);
          }
        });
    return server;
  }
}
