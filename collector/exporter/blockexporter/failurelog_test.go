// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

func observedLog() (*failureLog, *observer.ObservedLogs) {
	core, lines := observer.New(zapcore.InfoLevel)
	return newFailureLog(zap.New(core, zap.AddStacktrace(zap.ErrorLevel))), lines
}

func TestFailureLogNamesThePermanentBlock(t *testing.T) {
	l, lines := observedLog()
	b := &block{runID: "run-1", worker: 2, stream: "publishes", seq: 7, rows: 3}
	failure := &deliveryError{outcome: permanent, code: 117, err: errors.New("HTTP 400, ClickHouse code 117: Code: 117. text")}
	for range 3 {
		l.log(b, failure, "")
	}
	require.Len(t, lines.All(), 3, "each lost block is named, however many there are")
	line := lines.All()[0]
	assert.Equal(t, zapcore.ErrorLevel, line.Level)
	assert.Equal(t, "block refused, its rows are lost", line.Message)
	assert.Empty(t, line.Stack, "one line means one line")
	assert.Equal(t, map[string]any{
		"run": "run-1", "worker": int64(2), "stream": "publishes", "seq": int64(7), "rows": int64(3),
		"code": int64(117), "error": "HTTP 400, ClickHouse code 117: Code: 117. text",
	}, line.ContextMap())
}

func TestFailureLogThrottlesRetryable(t *testing.T) {
	l, lines := observedLog()
	now := time.Unix(0, 0)
	l.retryable.now = func() time.Time { return now }
	b := &block{runID: "run-1", stream: "publishes"}
	failure := &deliveryError{outcome: retryable, code: 60, err: errors.New("no table")}

	for range 5 {
		l.log(b, failure, "")
		now = now.Add(time.Millisecond)
	}
	require.Len(t, lines.All(), 1)
	assert.Equal(t, int64(0), lines.All()[0].ContextMap()["others_since_last_line"])

	now = time.Unix(1, 0)
	l.log(b, failure, "")
	require.Len(t, lines.All(), 2)
	assert.Equal(t, "block not committed, its sender will send it again", lines.All()[1].Message)
	assert.Equal(t, int64(4), lines.All()[1].ContextMap()["others_since_last_line"])

	l.log(b, &deliveryError{outcome: permanent, err: errors.New("text")}, "")
	assert.Len(t, lines.All(), 3, "a lost block is never throttled")
}
