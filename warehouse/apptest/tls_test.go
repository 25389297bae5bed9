// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"io"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tailrace.dev/warehouse/warehousetest"
)

// writeCertificate writes a self-signed certificate for 127.0.0.1 and returns a pool that trusts it.
func writeCertificate(t *testing.T, certFile, keyFile string, serial int64) *x509.CertPool {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	must(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	must(t, err)
	keyDER, err := x509.MarshalPKCS8PrivateKey(key)
	must(t, err)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	must(t, os.WriteFile(keyFile, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: keyDER}), 0o600))
	must(t, os.WriteFile(certFile, text, 0o600))
	pool := x509.NewCertPool()
	pool.AppendCertsFromPEM(text)
	return pool
}

// serialOver runs a query over https on a new connection and returns the certificate's serial number.
func serialOver(t *testing.T, address, user, password string, trusted *x509.CertPool) (string, int64, error) {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted, MinVersion: tls.VersionTLS12}}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+address+"/", strings.NewReader("SELECT 6 * 7"))
	must(t, err)
	request.SetBasicAuth(user, password)
	response, err := (&http.Client{Transport: transport, Timeout: 10 * time.Second}).Do(request)
	if err != nil {
		return "", 0, err
	}
	defer response.Body.Close() //nolint:errcheck // read to its end
	body, err := io.ReadAll(response.Body)
	must(t, err)
	return strings.TrimSpace(string(body)), response.TLS.PeerCertificates[0].SerialNumber.Int64(), nil
}

func TestRenewedCertificateIsLoaded(t *testing.T) {
	folder := t.TempDir()
	cert, key := filepath.Join(folder, "host.crt"), filepath.Join(folder, "host.key")
	trusted := writeCertificate(t, cert, key, 1)
	w := warehousetest.Start(t, "--tls-cert", cert, "--tls-key", key)
	address := strings.TrimPrefix(w.URL, "http://")
	answer, serial, err := serialOver(t, address, w.User, w.Password, trusted)
	if err != nil || answer != "42" || serial != 1 {
		t.Fatalf("got %q from certificate %d: %v", answer, serial, err)
	}
	otherCertificate := writeCertificate(t, filepath.Join(folder, "other.crt"), filepath.Join(folder, "other.key"), 9)
	if _, _, err := serialOver(t, address, w.User, w.Password, otherCertificate); err == nil {
		t.Error("an untrusted certificate was accepted")
	}
	trusted = writeCertificate(t, cert, key, 2)
	if answer, serial, err = serialOver(t, address, w.User, w.Password, trusted); err != nil || answer != "42" || serial != 2 {
		t.Errorf("after the renewal: %q from certificate %d: %v", answer, serial, err)
	}
}

func TestUnusableCertificateIsNamed(t *testing.T) {
	credentials := []string{"WAREHOUSE_USER=u", "WAREHOUSE_PASSWORD=p"}
	missing := filepath.Join(t.TempDir(), "no.crt")
	f := func(want string, flags ...string) {
		t.Helper()
		cmd := warehousetest.Program(append([]string{
			"--data", t.TempDir(), "--lib", warehousetest.Library(),
			"--listen", warehousetest.FreeAddress(t),
		}, flags...)...)
		cmd.Env = append([]string{"LANG=C"}, credentials...)
		expectRefusal(t, cmd, want)
	}
	f("give both", "--tls-cert", missing)
	f(missing, "--tls-cert", missing, "--tls-key", missing)
}
