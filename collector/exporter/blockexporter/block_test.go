// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
)

// newRecord creates a log record that meets the block contract.
func newRecord() plog.LogRecord {
	record := plog.NewLogRecord()
	fillRecord(record, "publishes", 7, []byte("body"))
	return record
}

func fillRecord(record plog.LogRecord, stream string, seq int64, body []byte) {
	attrs := record.Attributes()
	attrs.PutStr(attrRunID, "run-1")
	attrs.PutInt(attrWorkerID, 2)
	attrs.PutStr(attrStream, stream)
	attrs.PutInt(attrSeq, seq)
	attrs.PutInt(attrRows, 3)
	attrs.PutStr(attrEncoding, "native+zstd")
	record.Body().SetEmptyBytes().FromRaw(body)
}

func TestParseBlock(t *testing.T) {
	b, err := parseBlock(newRecord(), false)
	require.NoError(t, err)
	assert.Equal(t, &block{runID: "run-1", worker: 2, stream: "publishes", seq: 7, rows: 3, body: []byte("body"), complete: true}, b)
	assert.Equal(t, "run-1/2/publishes/7", b.token())
}

func TestParseBlockLimits(t *testing.T) {
	f := func(change func(plog.LogRecord)) {
		t.Helper()
		record := newRecord()
		change(record)
		_, err := parseBlock(record, false)
		require.NoError(t, err)
	}
	f(func(r plog.LogRecord) { r.Attributes().PutStr(attrRunID, strings.Repeat("x", 128)) })
	f(func(r plog.LogRecord) { r.Attributes().PutStr(attrRunID, "A-z.0_9") })
	f(func(r plog.LogRecord) { r.Attributes().PutInt(attrWorkerID, 0) })
	f(func(r plog.LogRecord) { r.Attributes().PutInt(attrWorkerID, 65535) })
	f(func(r plog.LogRecord) { r.Attributes().PutInt(attrSeq, 0) })
	f(func(r plog.LogRecord) { r.Attributes().PutInt(attrSeq, math.MaxInt64) })
	f(func(r plog.LogRecord) { r.Attributes().PutInt(attrRows, 1) })
	f(func(r plog.LogRecord) { r.Attributes().PutStr("some.other", "is ignored") })
}

func TestParseBlockRefuses(t *testing.T) {
	f := func(want string, change func(plog.LogRecord)) {
		t.Helper()
		record := newRecord()
		change(record)
		_, err := parseBlock(record, false)
		require.EqualError(t, err, want)
	}
	f(`tailrace.run.id: is missing`, func(r plog.LogRecord) { r.Attributes().Remove(attrRunID) })
	f(`tailrace.run.id: must be a string, is Int`, func(r plog.LogRecord) { r.Attributes().PutInt(attrRunID, 1) })
	f(`tailrace.run.id: must match [A-Za-z0-9._-]{1,128}, is ""`, func(r plog.LogRecord) { r.Attributes().PutStr(attrRunID, "") })
	f(`tailrace.run.id: must match [A-Za-z0-9._-]{1,128}, is "a/b"`, func(r plog.LogRecord) { r.Attributes().PutStr(attrRunID, "a/b") })
	f(`tailrace.run.id: must match [A-Za-z0-9._-]{1,128}, is "a\n"`, func(r plog.LogRecord) { r.Attributes().PutStr(attrRunID, "a\n") })
	f(`tailrace.run.id: must match [A-Za-z0-9._-]{1,128}, is "`+strings.Repeat("x", 129)+`"`,
		func(r plog.LogRecord) { r.Attributes().PutStr(attrRunID, strings.Repeat("x", 129)) })
	f(`tailrace.worker.id: must be 0 to 65535, is 65536`, func(r plog.LogRecord) { r.Attributes().PutInt(attrWorkerID, 65536) })
	f(`tailrace.worker.id: must be 0 to 65535, is -1`, func(r plog.LogRecord) { r.Attributes().PutInt(attrWorkerID, -1) })
	f(`tailrace.worker.id: must be an int, is Str`, func(r plog.LogRecord) { r.Attributes().PutStr(attrWorkerID, "0") })
	f(`tailrace.stream: is missing`, func(r plog.LogRecord) { r.Attributes().Remove(attrStream) })
	f(`tailrace.stream: must be a stream of the block contract, is "runs"`, func(r plog.LogRecord) { r.Attributes().PutStr(attrStream, "runs") })
	f(`tailrace.block.seq: must be 0 to 9223372036854775807, is -1`, func(r plog.LogRecord) { r.Attributes().PutInt(attrSeq, -1) })
	f(`tailrace.block.seq: is missing`, func(r plog.LogRecord) { r.Attributes().Remove(attrSeq) })
	f(`tailrace.block.rows: must be 1 to 9223372036854775807, is 0`, func(r plog.LogRecord) { r.Attributes().PutInt(attrRows, 0) })
	f(`tailrace.block.rows: must be an int, is Double`, func(r plog.LogRecord) { r.Attributes().PutDouble(attrRows, 3) })
	f(`tailrace.block.encoding: must be native+zstd, is "native"`, func(r plog.LogRecord) { r.Attributes().PutStr(attrEncoding, "native") })
	f(`body: must be bytes, is Str`, func(r plog.LogRecord) { r.Body().SetStr("a plain log line") })
	f(`body: must be bytes, is Empty`, func(r plog.LogRecord) { plog.NewLogRecord().Body().CopyTo(r.Body()) })
	f(`body: is empty`, func(r plog.LogRecord) { r.Body().SetEmptyBytes() })
}

func TestParseBlockReportsEveryFaultAndKeepsTheRest(t *testing.T) {
	record := newRecord()
	record.Attributes().PutStr(attrStream, "nonsense")
	record.Attributes().PutInt(attrSeq, -5)
	record.Body().SetStr("text")
	b, err := parseBlock(record, false)
	require.EqualError(t, err, strings.Join([]string{
		`tailrace.stream: must be a stream of the block contract, is "nonsense"`,
		`tailrace.block.seq: must be 0 to 9223372036854775807, is -5`,
		`body: must be bytes, is Str`,
	}, "\n"))
	assert.Equal(t, &block{runID: "run-1", worker: 2, rows: 3}, b, "the parts that a log line can still name")
}
