// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// writePair writes a self-signed certificate and its key, modified at a given time.
func writePair(t *testing.T, certFile, keyFile string, at time.Time) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: at.Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	must(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	must(t, os.WriteFile(certFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	must(t, os.Chtimes(certFile, at, at))
}

func TestAFailedRenewalIsLoggedOnce(t *testing.T) {
	folder := t.TempDir()
	cert, key := filepath.Join(folder, "host.crt"), filepath.Join(folder, "host.key")
	now := time.Now()
	writePair(t, cert, key, now)
	var lines bytes.Buffer
	c, err := newCertificate(cert, key, slog.New(slog.NewTextHandler(&lines, nil)))
	must(t, err)
	first := c.loaded
	handshakes := func(want int, why string) {
		t.Helper()
		for range 3 {
			if pair, err := c.get(nil); err != nil || pair == nil {
				t.Fatalf("%s: no certificate: %v", why, err)
			}
		}
		if got := strings.Count(lines.String(), "level=WARN"); got != want {
			t.Errorf("%s: %d warnings, want %d:\n%s", why, got, want, lines.String())
		}
	}
	handshakes(0, "unchanged")
	must(t, os.WriteFile(cert, []byte("half written"), 0o600))
	must(t, os.Chtimes(cert, now, now.Add(time.Second)))
	handshakes(1, "half written")
	if c.loaded != first {
		t.Error("the pair that was valid is no longer served")
	}
	must(t, os.Remove(cert))
	handshakes(2, "another failure")
	writePair(t, cert, key, now.Add(2*time.Second))
	handshakes(2, "renewed")
	if c.loaded == first {
		t.Error("the renewed pair is not served")
	}
	must(t, os.Remove(cert))
	handshakes(3, "a failure after a success")
}
