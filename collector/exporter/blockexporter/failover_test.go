// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
)

func tokensOf(r *recorder) (tokens []string) {
	for _, request := range r.received() {
		tokens = append(tokens, request.URL.Query().Get("insert_deduplication_token"))
	}
	return tokens
}

func TestFailoverKeepsTokenAndBody(t *testing.T) {
	busy := startRecorder(t, refuse(http.StatusInternalServerError, "252", "Code: 252. DB::Exception: Too many parts"))
	live := startRecorder(t, nil)
	exp := startExporter(t, configFor(busy.URL, live.URL), componenttest.NewNopTelemetrySettings())
	require.NoError(t, exp.ConsumeLogs(context.Background(), newLogs(3)))
	assert.Equal(t, []string{"run-1/2/publishes/0"}, tokensOf(busy), "the later blocks stay with the one that works")
	assert.Equal(t, []string{"run-1/2/publishes/0", "run-1/2/publishes/1", "run-1/2/publishes/2"}, tokensOf(live))
	assert.Equal(t, busy.received()[0].body, live.received()[0].body)
	assert.Equal(t, busy.received()[0].URL.RawQuery, live.received()[0].URL.RawQuery)
}

func TestFailoverFromADeadAndAHangingEndpoint(t *testing.T) {
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	release := make(chan struct{})
	hanging := startRecorder(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	live := startRecorder(t, nil)
	cfg := configFor(dead.URL, hanging.URL, live.URL)
	cfg.Timeout = 4 * time.Second
	exp := startExporter(t, cfg, componenttest.NewNopTelemetrySettings())
	require.NoError(t, exp.ConsumeLogs(context.Background(), newLogs(1)), "one that hangs leaves time for the next")
	assert.Len(t, hanging.received(), 1)
	assert.Len(t, live.received(), 1)
}

func TestFailoverReturnsToTheFirst(t *testing.T) {
	var down atomic.Bool
	down.Store(true)
	first := startRecorder(t, func(w http.ResponseWriter, _ *http.Request) {
		if down.Load() {
			w.WriteHeader(http.StatusBadGateway)
		}
	})
	second := startRecorder(t, nil)
	cfg := configFor(first.URL, second.URL)
	cfg.ReturnAfter = time.Millisecond
	exp := startExporter(t, cfg, componenttest.NewNopTelemetrySettings())
	require.NoError(t, exp.ConsumeLogs(context.Background(), newLogs(1)))
	down.Store(false)
	require.Eventually(t, func() bool {
		before := len(second.received())
		return exp.ConsumeLogs(context.Background(), newLogs(1)) == nil && len(second.received()) == before
	}, 10*time.Second, 2*time.Millisecond, "blocks never came back to the first")
}

func TestFailoverStopsAtARefusal(t *testing.T) {
	first := startRecorder(t, refuse(http.StatusBadRequest, "117", "Code: 117. DB::Exception: Unknown column"))
	second := startRecorder(t, nil)
	exp := startExporter(t, configFor(first.URL, second.URL), componenttest.NewNopTelemetrySettings())
	err := exp.ConsumeLogs(context.Background(), newLogs(1))
	assert.True(t, consumererror.IsPermanent(err))
	assert.Empty(t, second.received(), "another endpoint of the same ClickHouse would answer the same")
}

func TestFailoverNamesEveryFailure(t *testing.T) {
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	full := startRecorder(t, refuse(http.StatusInternalServerError, "243", "Code: 243. DB::Exception: no space\nstack"))
	exp := startExporter(t, configFor(dead.URL, full.URL), componenttest.NewNopTelemetrySettings())
	err := exp.ConsumeLogs(context.Background(), newLogs(1))
	assert.False(t, consumererror.IsPermanent(err))
	require.ErrorContains(t, err, "block run-1/2/publishes/0: post to "+dead.URL+"/: ")
	require.ErrorContains(t, err, "connection refused; HTTP 500, ClickHouse code 243: Code: 243. DB::Exception: no space")
	assert.NotContains(t, err.Error(), "\n")
}

func TestFailoverDoesNotBlameEndpointsForASenderThatLeft(t *testing.T) {
	arrived, release := make(chan struct{}), make(chan struct{})
	slow := startRecorder(t, func(http.ResponseWriter, *http.Request) {
		close(arrived)
		<-release
	})
	t.Cleanup(func() { close(release) })
	second := startRecorder(t, nil)
	tel := componenttest.NewTelemetry()
	exp := startExporter(t, configFor(slow.URL, second.URL), tel.NewTelemetrySettings())
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-arrived
		cancel()
	}()
	require.ErrorContains(t, exp.ConsumeLogs(ctx, newLogs(1)), "context canceled")
	assert.Empty(t, second.received())
	_, err := tel.GetMetric("otelcol_exporter_tailrace_endpoint_up")
	require.Error(t, err, "nothing is known of the endpoint")
}
