// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exportertest"
	"go.opentelemetry.io/collector/pdata/plog"
)

// recorder is an HTTP server that keeps the requests and sends a fixed answer: it shows the bytes on the wire, which an
// engine would hide.
type recorder struct {
	*httptest.Server
	mu       sync.Mutex
	requests []recorded
	reply    http.HandlerFunc
}

type recorded struct {
	*http.Request
	body []byte
}

// startRecorder answers every request with reply; nil is ClickHouse's answer to a committed INSERT.
func startRecorder(t *testing.T, reply http.HandlerFunc) *recorder {
	t.Helper()
	r := &recorder{reply: reply}
	r.Server = httptest.NewServer(r)
	t.Cleanup(r.Close)
	return r
}

func (r *recorder) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	body, err := io.ReadAll(request.Body)
	if err != nil {
		return
	}
	r.mu.Lock()
	r.requests = append(r.requests, recorded{request, body})
	r.mu.Unlock()
	if r.reply != nil {
		r.reply(w, request)
	}
}

func (r *recorder) received() []recorded {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]recorded(nil), r.requests...)
}

// refuse answers as ClickHouse does when it throws.
func refuse(status int, code, message string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set(headerExceptionCode, code)
		w.WriteHeader(status)
		_, _ = io.WriteString(w, message)
	}
}

// configFor is a configuration for recorders and for the warehouse of the tests.
func configFor(endpoints ...string) *Config {
	cfg := createDefaultConfig().(*Config)
	cfg.Endpoints = endpoints
	cfg.Timeout = 10 * time.Second
	cfg.Username = "tailrace"
	cfg.Password = "hunter2"
	// Other tests check the columns: here every request is one block.
	cfg.RequireColumns = false
	return cfg
}

// startExporter makes and starts the exporter through its factory, as the collector does.
func startExporter(t *testing.T, cfg *Config, set component.TelemetrySettings) exporter.Logs {
	t.Helper()
	require.NoError(t, cfg.Validate())
	settings := exportertest.NewNopSettings(componentType)
	settings.TelemetrySettings = set
	exp, err := NewFactory().CreateLogs(context.Background(), settings, cfg)
	require.NoError(t, err)
	require.NoError(t, exp.Start(context.Background(), componenttest.NewNopHost()))
	t.Cleanup(func() { require.NoError(t, exp.Shutdown(context.Background())) })
	return exp
}

// newLogs makes one request of n good records with seq 0 to n-1.
func newLogs(n int) plog.Logs {
	logs := plog.NewLogs()
	records := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords()
	for i := range n {
		fillRecord(records.AppendEmpty(), "publishes", int64(i), []byte{0x28, 0xb5, 0x2f, 0xfd, 0, byte(i), '\n', 0xff})
	}
	return logs
}

func firstRecord(logs plog.Logs) plog.LogRecord {
	return logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().At(0)
}
