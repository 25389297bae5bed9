// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
)

func TestTLS(t *testing.T) {
	var posts int
	clickhouse := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { posts++ }))
	t.Cleanup(clickhouse.Close)
	authority := filepath.Join(t.TempDir(), "ca.pem")
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: clickhouse.Certificate().Raw})
	require.NoError(t, os.WriteFile(authority, certificate, 0o600))

	f := func(want string, change func(*Config)) {
		t.Helper()
		cfg := configFor(clickhouse.URL)
		change(cfg)
		err := startExporter(t, cfg, componenttest.NewNopTelemetrySettings()).ConsumeLogs(context.Background(), newLogs(1))
		if want == "" {
			require.NoError(t, err)
			return
		}
		require.ErrorContains(t, err, want)
		assert.False(t, consumererror.IsPermanent(err))
	}
	f("certificate signed by unknown authority", func(*Config) {})
	// configtls' switch for plaintext does not affect certificates.
	f("certificate signed by unknown authority", func(c *Config) { c.TLS.Insecure = true })
	assert.Zero(t, posts, "nothing was sent to a server that is not known")
	f("", func(c *Config) { c.TLS.CAFile = authority })
	f("", func(c *Config) { c.TLS.InsecureSkipVerify = true })
	assert.Equal(t, 2, posts)
}
