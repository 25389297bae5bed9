// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"path/filepath"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
)

func TestBlockHeaderOfGoldenBlocks(t *testing.T) {
	columns := contractStreams(t)
	for stream, body := range goldenBlocks(t) {
		gotColumns, gotRows, err := readBlockHeader(body)
		require.NoError(t, err, stream)
		assert.Equal(t, goldenRows(t)[stream], gotRows, stream)
		assert.EqualValues(t, len(columns[stream]), gotColumns, stream)
	}
}

func TestBlockHeaderOfOtherBytes(t *testing.T) {
	encoder, err := zstd.NewWriter(nil)
	require.NoError(t, err)
	bodies := [][]byte{
		nil,
		[]byte("body"),
		{0x28, 0xb5, 0x2f, 0xfd},
		encoder.EncodeAll(nil, nil),
		encoder.EncodeAll([]byte{9}, nil),
		encoder.EncodeAll([]byte{9, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1}, nil),
	}
	for _, body := range bodies {
		_, _, err := readBlockHeader(body)
		require.Error(t, err, "% x", body)
	}
}

func TestAttributesMustBeThoseOfTheBody(t *testing.T) {
	rows := int64(goldenRows(t)["publishes"]) //nolint:gosec // a few hundred
	record := func(rows int64, columns string) plog.LogRecord {
		r := plog.NewLogRecord()
		fillRecord(r, "publishes", 7, goldenBlocks(t)["publishes"])
		r.Attributes().PutInt(attrRows, rows)
		r.Attributes().PutStr(attrColumns, columns)
		return r
	}
	all := listed(contractStreams(t)["publishes"])
	_, err := parseBlock(record(rows, all), true)
	require.NoError(t, err)
	b, err := parseBlock(record(rows+5, all), true)
	require.ErrorContains(t, err, "tailrace.block.rows: is ")
	require.ErrorContains(t, err, ", the block has ")
	assert.True(t, b.complete, "it can be kept as a dead letter")
	_, err = parseBlock(record(rows, "a UInt8"), true)
	require.EqualError(t, err, "tailrace.block.columns: names 1, the block has 10 columns")
}

func TestBlockOfOtherRowsIsKeptAsADeadLetter(t *testing.T) {
	clickhouse := startRecorder(t, nil)
	cfg := configFor(clickhouse.URL)
	cfg.DeadLetter.Directory = t.TempDir()
	exp := startExporter(t, cfg, componenttest.NewNopTelemetrySettings())
	logs := newLogs(1)
	body := goldenBlocks(t)["publishes"]
	firstRecord(logs).Body().SetEmptyBytes().FromRaw(body)

	err := exp.ConsumeLogs(context.Background(), logs)
	assert.True(t, consumererror.IsPermanent(err), "%v", err)
	assert.Empty(t, clickhouse.received())
	l := readDeadLetter(t, filepath.Join(cfg.DeadLetter.Directory, "run-1.2.publishes.0.json"))
	assert.Equal(t, reasonMalformed, l.Reason)
	assert.Contains(t, l.Message, "tailrace.block.rows: is 3, the block has ")
}
