// SPDX-License-Identifier: Apache-2.0
package io.tailrace.loadgen.agreement;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** TLS from PEM files, for both sides: each shows its certificate and checks the other's. */
public final class PemTls {
  private static final char[] NO_PASSWORD = {};

  private PemTls() {}

  /**
   * Makes the context of one worker from PEM: the authorities that sign the other workers'
   * certificates, its own certificate with those up to an authority, and its private key in PKCS#8.
   */
  public static SSLContext context(byte[] authorities, byte[] certificate, byte[] key)
      throws GeneralSecurityException, IOException {
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(null, null);
    own.setKeyEntry("own", privateKey(key), NO_PASSWORD, certificates(certificate));
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, NO_PASSWORD);
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, null);
    int number = 0;
    for (Certificate authority : certificates(authorities)) {
      trusted.setCertificateEntry("authority-" + number++, authority);
    }
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return context;
  }

  private static Certificate[] certificates(byte[] pem) throws GeneralSecurityException {
    return CertificateFactory.getInstance("X.509")
        .generateCertificates(new ByteArrayInputStream(pem))
        .toArray(new Certificate[0]);
  }

  private static PrivateKey privateKey(byte[] pem) throws GeneralSecurityException {
    String text =
        new String(pem, StandardCharsets.ISO_8859_1)
            .replaceAll("(?s).*-----BEGIN PRIVATE KEY-----|-----END PRIVATE KEY-----.*", "");
    PKCS8EncodedKeySpec spec =
        new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(text.strip()));
    for (String algorithm : List.of("EC", "RSA", "Ed25519")) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(spec);
      } catch (InvalidKeySpecException e) {
        // A key of another algorithm.
      }
    }
    throw new InvalidKeySpecException("the private key is neither EC, RSA nor Ed25519");
  }
}
