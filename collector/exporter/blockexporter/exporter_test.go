// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
)

func TestExportPostsTheBodyUnchanged(t *testing.T) {
	clickhouse := startRecorder(t, nil)
	cfg := configFor(clickhouse.URL + "/behind/")
	cfg.Database = "bench"
	exp := startExporter(t, cfg, componenttest.NewNopTelemetrySettings())
	logs := newLogs(1)
	body := firstRecord(logs).Body().Bytes().AsRaw()

	require.NoError(t, exp.ConsumeLogs(context.Background(), logs))

	require.Len(t, clickhouse.received(), 1)
	got := clickhouse.received()[0]
	assert.Equal(t, http.MethodPost, got.Method)
	assert.Equal(t, "/behind/", got.URL.Path)
	assert.Equal(t, body, got.body)
	assert.Equal(t, int64(len(body)), got.ContentLength)
	assert.Equal(t, []string{"zstd"}, got.Header["Content-Encoding"])
	assert.Equal(t, "tailrace", got.Header.Get("X-ClickHouse-User"))
	assert.Equal(t, "hunter2", got.Header.Get("X-ClickHouse-Key"))
	assert.NotContains(t, got.RequestURI, "hunter2", "URLs are logged")
	assert.Equal(t, map[string][]string{
		"database": {"bench"},
		"query": {"INSERT INTO publishes (run_id, worker, producer, topic, partition, offset, intended_time, " +
			"publish_delay_us, ack_time, payload_bytes) FORMAT Native"},
		"async_insert":               {"0"},
		"insert_deduplicate":         {"1"},
		"insert_deduplication_token": {"run-1/2/publishes/0"},
		"deduplicate_blocks_in_dependent_materialized_views": {"1"},
		"input_format_skip_unknown_fields":                   {"0"},
	}, map[string][]string(got.URL.Query()))
}

func TestExportWithoutUserSendsNoCredentials(t *testing.T) {
	clickhouse := startRecorder(t, nil)
	cfg := configFor(clickhouse.URL)
	cfg.Username, cfg.Password = "", ""
	exp := startExporter(t, cfg, componenttest.NewNopTelemetrySettings())
	require.NoError(t, exp.ConsumeLogs(context.Background(), newLogs(1)))
	require.Len(t, clickhouse.received(), 1)
	assert.NotContains(t, clickhouse.received()[0].Header, "X-Clickhouse-User")
	assert.NotContains(t, clickhouse.received()[0].Header, "X-Clickhouse-Key")
}

func TestExportPostsEveryRecordOfARequest(t *testing.T) {
	clickhouse := startRecorder(t, nil)
	exp := startExporter(t, configFor(clickhouse.URL), componenttest.NewNopTelemetrySettings())
	logs := newLogs(3)
	fillRecord(logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty(), "ledger", 9, []byte("x"))

	require.NoError(t, exp.ConsumeLogs(context.Background(), logs))

	var tokens []string
	for _, r := range clickhouse.received() {
		tokens = append(tokens, r.URL.Query().Get("insert_deduplication_token"))
	}
	assert.Equal(t, []string{"run-1/2/publishes/0", "run-1/2/publishes/1", "run-1/2/publishes/2", "run-1/2/ledger/9"}, tokens)
}

func TestExportFailsAsAWholeWhenOneBlockFails(t *testing.T) {
	clickhouse := startRecorder(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("insert_deduplication_token") == "run-1/2/publishes/1" {
			refuse(http.StatusInternalServerError, "241", "Code: 241. DB::Exception: Memory limit")(w, r)
		}
	})
	exp := startExporter(t, configFor(clickhouse.URL), componenttest.NewNopTelemetrySettings())
	err := exp.ConsumeLogs(context.Background(), newLogs(3))
	require.EqualError(t, err, "block run-1/2/publishes/1: HTTP 500, ClickHouse code 241: Code: 241. DB::Exception: Memory limit")
	assert.False(t, consumererror.IsPermanent(err))
	assert.Len(t, clickhouse.received(), 2, "the third waits for the request to come again")
}

func TestExportRefusesAMalformedRecordBeforeItPostsAny(t *testing.T) {
	clickhouse := startRecorder(t, nil)
	exp := startExporter(t, configFor(clickhouse.URL), componenttest.NewNopTelemetrySettings())
	logs := newLogs(2)
	fillRecord(logs.ResourceLogs().At(0).ScopeLogs().At(0).LogRecords().AppendEmpty(), "runs", 0, []byte("x"))
	err := exp.ConsumeLogs(context.Background(), logs)
	require.ErrorContains(t, err, `tailrace.stream: must be a stream of the block contract, is "runs"`)
	assert.True(t, consumererror.IsPermanent(err))
	assert.Empty(t, clickhouse.received())
}

func TestExportPermanent(t *testing.T) {
	clickhouse := startRecorder(t, refuse(http.StatusBadRequest, "117", "Code: 117. DB::Exception: Unknown column\nstack trace"))
	exp := startExporter(t, configFor(clickhouse.URL), componenttest.NewNopTelemetrySettings())
	err := exp.ConsumeLogs(context.Background(), newLogs(1))
	require.ErrorContains(t, err, "block run-1/2/publishes/0: HTTP 400, ClickHouse code 117: Code: 117. DB::Exception: Unknown column")
	assert.NotContains(t, err.Error(), "stack trace")
	assert.True(t, consumererror.IsPermanent(err))
}

func TestExportRetryableWithoutAnswer(t *testing.T) {
	f := func(name, want string, endpoint string, timeout time.Duration) {
		t.Helper()
		cfg := configFor(endpoint)
		cfg.Timeout = timeout
		exp := startExporter(t, cfg, componenttest.NewNopTelemetrySettings())
		err := exp.ConsumeLogs(context.Background(), newLogs(1))
		require.ErrorContains(t, err, want, name)
		assert.False(t, consumererror.IsPermanent(err), name)
		assert.NotContains(t, err.Error(), "INSERT", "%s: the statement would bury the cause", name)
	}
	closed := httptest.NewServer(http.NotFoundHandler())
	closed.Close()
	f("no server", "connection refused", closed.URL, 10*time.Second)

	release := make(chan struct{})
	silent := startRecorder(t, func(http.ResponseWriter, *http.Request) { <-release })
	t.Cleanup(func() { close(release) })
	f("no answer in time", "no answer after ", silent.URL, 50*time.Millisecond)

	abrupt := startRecorder(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	f("connection closed", "EOF", abrupt.URL, 10*time.Second)

	cut := startRecorder(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "10")
		_, _ = io.WriteString(w, "ab")
	})
	f("answer cut short", "unexpected EOF", cut.URL, 10*time.Second)
}

func TestExportDoesNotFollowRedirects(t *testing.T) {
	elsewhere := startRecorder(t, nil)
	clickhouse := startRecorder(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, elsewhere.URL, http.StatusFound)
	})
	exp := startExporter(t, configFor(clickhouse.URL), componenttest.NewNopTelemetrySettings())
	err := exp.ConsumeLogs(context.Background(), newLogs(1))
	require.ErrorContains(t, err, "HTTP 302")
	assert.False(t, consumererror.IsPermanent(err))
	assert.Empty(t, elsewhere.received(), "its 200 would have been mistaken for a commit")
}

func TestExportDoesNotChangeItsInput(t *testing.T) {
	exp := startExporter(t, configFor(startRecorder(t, nil).URL), componenttest.NewNopTelemetrySettings())
	assert.False(t, exp.Capabilities().MutatesData)
	logs := newLogs(2)
	logs.MarkReadOnly()
	require.NoError(t, exp.ConsumeLogs(context.Background(), logs))
}
