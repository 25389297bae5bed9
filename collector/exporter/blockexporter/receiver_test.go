// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/consumer"
	"go.opentelemetry.io/collector/pdata/plog"
	"go.opentelemetry.io/collector/pdata/plog/plogotlp"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/receiver/receivertest"
	"google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/protobuf/proto"
)

// startReceiver puts a real OTLP/HTTP receiver before the consumer and returns its URL for logs.
func startReceiver(t *testing.T, next consumer.Logs) string {
	t.Helper()
	factory := otlpreceiver.NewFactory()
	var err error
	for range 10 { // Another process may take the free port before the receiver does.
		address := freeAddress(t)
		cfg := factory.CreateDefaultConfig()
		require.NoError(t, confmap.NewFromStringMap(map[string]any{
			"protocols": map[string]any{"http": map[string]any{"endpoint": address}},
		}).Unmarshal(cfg))
		receiver, createErr := factory.CreateLogs(context.Background(), receivertest.NewNopSettings(factory.Type()), cfg, next)
		require.NoError(t, createErr)
		if err = receiver.Start(context.Background(), componenttest.NewNopHost()); err == nil {
			t.Cleanup(func() { require.NoError(t, receiver.Shutdown(context.Background())) })
			return "http://" + address + "/v1/logs"
		}
	}
	require.NoError(t, err)
	return ""
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close() //nolint:errcheck // it was only opened to get a port
	return listener.Addr().String()
}

// send posts an OTLP request as a load generator does and returns the HTTP status and the error message.
func send(t *testing.T, url string, logs plog.Logs) (code int, message string) {
	t.Helper()
	request, err := plogotlp.NewExportRequestFromLogs(logs).MarshalProto()
	require.NoError(t, err)
	answer, err := http.Post(url, "application/x-protobuf", bytes.NewReader(request))
	require.NoError(t, err)
	defer answer.Body.Close() //nolint:errcheck // read to its end below
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	if answer.StatusCode == http.StatusOK {
		response := plogotlp.NewExportResponse()
		require.NoError(t, response.UnmarshalProto(body))
		assert.Zero(t, response.PartialSuccess().RejectedLogRecords())
		return answer.StatusCode, ""
	}
	var failure status.Status
	require.NoError(t, proto.Unmarshal(body, &failure))
	return answer.StatusCode, failure.Message
}

// The OTLP answer is the delivery receipt of docs/contracts/block.md.
func TestReceiptThroughOTLPReceiver(t *testing.T) {
	f := func(reply http.HandlerFunc, wantCode int, wantMessage string) {
		t.Helper()
		clickhouse := startRecorder(t, reply)
		exp := startExporter(t, configFor(clickhouse.URL), componenttest.NewNopTelemetrySettings())
		logs := newLogs(1)
		body := firstRecord(logs).Body().Bytes().AsRaw()
		code, message := send(t, startReceiver(t, exp), logs)
		assert.Equal(t, wantCode, code)
		assert.Contains(t, message, wantMessage)
		require.Len(t, clickhouse.received(), 1)
		assert.Equal(t, body, clickhouse.received()[0].body, "unchanged by OTLP")
	}
	f(nil, http.StatusOK, "")
	f(refuse(http.StatusInternalServerError, "252", "Code: 252. DB::Exception: Too many parts"), http.StatusServiceUnavailable,
		"block run-1/2/publishes/0: HTTP 500, ClickHouse code 252: Code: 252. DB::Exception: Too many parts")
	f(refuse(http.StatusNotFound, "60", "Code: 60. DB::Exception: no table"), http.StatusServiceUnavailable, "code 60")
	f(refuse(http.StatusForbidden, "516", "Code: 516. DB::Exception: password"), http.StatusServiceUnavailable, "code 516")
	f(refuse(http.StatusOK, "159", ""), http.StatusServiceUnavailable, "code 159")
	f(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
		http.StatusServiceUnavailable, "HTTP 429")
	f(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusRequestEntityTooLarge) },
		http.StatusServiceUnavailable, "HTTP 413")
	f(refuse(http.StatusBadRequest, "117", "Code: 117. DB::Exception: Unknown column"), http.StatusBadRequest,
		"block run-1/2/publishes/0: HTTP 400, ClickHouse code 117: Code: 117. DB::Exception: Unknown column")
}

func TestReceiptOfAMalformedRecord(t *testing.T) {
	clickhouse := startRecorder(t, nil)
	exp := startExporter(t, configFor(clickhouse.URL), componenttest.NewNopTelemetrySettings())
	logs := newLogs(1)
	firstRecord(logs).Attributes().PutStr(attrRunID, "a b")
	code, message := send(t, startReceiver(t, exp), logs)
	assert.Equal(t, http.StatusBadRequest, code)
	assert.Contains(t, message, `tailrace.run.id: must match [A-Za-z0-9._-]{1,128}, is "a b"`)
	assert.Empty(t, clickhouse.received())
}

func TestReceiptWhileClickHouseIsDown(t *testing.T) {
	down := httptest.NewServer(http.NotFoundHandler())
	down.Close()
	exp := startExporter(t, configFor(down.URL), componenttest.NewNopTelemetrySettings())
	code, message := send(t, startReceiver(t, exp), newLogs(1))
	assert.Equal(t, http.StatusServiceUnavailable, code)
	assert.Contains(t, message, "connection refused")
}
