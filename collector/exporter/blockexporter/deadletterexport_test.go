// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"
)

// refusing is an exporter with dead letters before a ClickHouse that refuses everything.
type refusing struct {
	directory string
	url       string
	tel       *componenttest.Telemetry
	lines     *observer.ObservedLogs
	send      func(seq int64, columns string) error
}

func startRefusing(t *testing.T, change func(*Config)) refusing {
	t.Helper()
	clickhouse := startRecorder(t, refuse(http.StatusBadRequest, "117", "Code: 117. DB::Exception: Unknown column\nstack"))
	cfg := configFor(clickhouse.URL)
	cfg.DeadLetter.Directory = filepath.Join(t.TempDir(), "dead-letter")
	change(cfg)
	r := refusing{directory: cfg.DeadLetter.Directory, url: clickhouse.URL + "/", tel: componenttest.NewTelemetry()}
	set := r.tel.NewTelemetrySettings()
	core, lines := observer.New(zapcore.DebugLevel)
	set.Logger, r.lines = zap.New(core), lines
	exp := startExporter(t, cfg, set)
	r.send = func(seq int64, columns string) error {
		logs := newLogs(1)
		firstRecord(logs).Attributes().PutInt(attrSeq, seq)
		if columns != "" {
			firstRecord(logs).Attributes().PutStr(attrColumns, columns)
		}
		return exp.ConsumeLogs(context.Background(), logs)
	}
	return r
}

func readDeadLetter(t *testing.T, path string) deadLetter {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var l deadLetter
	require.NoError(t, json.Unmarshal(text, &l))
	return l
}

func TestRefusedBlockIsKept(t *testing.T) {
	r := startRefusing(t, func(*Config) {})
	err := r.send(7, "")
	assert.True(t, consumererror.IsPermanent(err))

	l := readDeadLetter(t, filepath.Join(r.directory, "run-1.2.publishes.7.json"))
	assert.Equal(t, reasonRefused, l.Reason)
	assert.Equal(t, 117, l.ClickHouseCode)
	assert.Equal(t, r.url, l.Endpoint)
	assert.Equal(t, "block run-1/2/publishes/7: HTTP 400, ClickHouse code 117: Code: 117. DB::Exception: Unknown column", l.Message)
	assert.False(t, l.Time.IsZero())
	assert.Equal(t, map[string]any{
		attrRunID: "run-1", attrWorkerID: 2.0, attrStream: "publishes", attrSeq: 7.0, attrRows: 3.0, attrEncoding: "native+zstd",
	}, l.Attributes)
	body, err := os.ReadFile(filepath.Join(r.directory, l.File))
	require.NoError(t, err)
	assert.Equal(t, firstRecord(newLogs(1)).Body().Bytes().AsRaw(), body)
	for _, name := range filesIn(t, r.directory) {
		text, err := os.ReadFile(filepath.Join(r.directory, name))
		require.NoError(t, err)
		assert.NotContains(t, string(text), "hunter2")
	}

	assert.Equal(t, map[string]int64{"reason=refused,result=kept,stream=publishes": 1}, counted(t, r.tel, "dead_letters"))
	require.Len(t, r.lines.All(), 1)
	assert.Equal(t, "block refused, kept as a dead letter", r.lines.All()[0].Message)
	assert.Equal(t, filepath.Join(r.directory, l.File), r.lines.All()[0].ContextMap()["dead_letter"])
}

func TestMalformedBlockIsKeptWhenItHasAName(t *testing.T) {
	r := startRefusing(t, func(c *Config) { c.RequireColumns = true })
	require.ErrorContains(t, r.send(1, ""), "tailrace.block.columns: is missing")
	require.ErrorContains(t, r.send(2, "a UInt8, a UInt8"), "tailrace.block.columns: column a: is listed twice")
	require.Error(t, r.send(-1, "a UInt8"))
	assert.Equal(t, map[string]int64{
		"reason=malformed,result=kept,stream=publishes": 2, "reason=malformed,result=unnamed,stream=publishes": 1,
	}, counted(t, r.tel, "dead_letters"))
	assert.NotContains(t, readDeadLetter(t, filepath.Join(r.directory, "run-1.2.publishes.1.json")).Attributes, attrColumns)
	l := readDeadLetter(t, filepath.Join(r.directory, "run-1.2.publishes.2.json"))
	assert.Equal(t, "a UInt8, a UInt8", l.Attributes[attrColumns])
	assert.Equal(t, reasonMalformed, l.Reason)
	assert.Zero(t, l.ClickHouseCode)
}

func TestRefusedBlockThatCannotBeKeptIsStillRefused(t *testing.T) {
	r := startRefusing(t, func(c *Config) { c.DeadLetter.MaxBytes = 10 })
	for seq := range int64(5) {
		assert.True(t, consumererror.IsPermanent(r.send(seq, "")))
	}
	assert.Empty(t, filesIn(t, r.directory))
	require.NoError(t, os.Remove(r.directory))
	require.NoError(t, os.WriteFile(r.directory, nil, 0o600))
	assert.True(t, consumererror.IsPermanent(r.send(5, "")))

	assert.Equal(t, map[string]int64{
		"reason=refused,result=full,stream=publishes": 5, "reason=refused,result=failed,stream=publishes": 1,
	}, counted(t, r.tel, "dead_letters"))
	assert.Equal(t, 6, r.lines.FilterMessage("block refused, its rows are lost").Len(), "each is named")
	notKept := r.lines.FilterMessage("dead letter not kept").All()
	require.NotEmpty(t, notKept)
	assert.Less(t, len(notKept), 6, "at most a line a second")
	assert.Contains(t, notKept[0].ContextMap()["error"], "have reached dead_letter::max_bytes")
}

func TestUnusableDeadLetterDirectoryIsReportedAtStart(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	cfg := configFor("http://127.0.0.1:1")
	cfg.DeadLetter.Directory = filepath.Join(file, "dead-letter")
	e, err := newBlockExporter(cfg, componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	err = e.start(context.Background(), componenttest.NewNopHost())
	require.ErrorContains(t, err, "dead_letter::directory: ")
	require.ErrorContains(t, err, "; make it writable, or choose another")
}
