// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/plog"
)

// sent is the content of a record, valid or not.
type sent struct {
	run, stream, encoding, columns string
	worker, seq, rows              int64
	body                           []byte
}

var sentSeeds = []sent{
	{"run-1", "publishes", "native+zstd", "a UInt8, t DateTime64(6, 'UTC')", 0, 0, 1, []byte{1}},
	{"a/b", "runs", "native", "a", 65536, -1, 0, nil},
	{"../..\n", "publishes\x00", "NATIVE+ZSTD", "a UInt8, a UInt8", -1, 1 << 62, -1, []byte("text")},
	{"a&query=DROP TABLE t", "ledger", "native+zstd", "e Enum8('a, b)' = 1)", 65535, 7, 3, []byte("\r\nX-Other: 1\r\n\r\n")},
	{"r\r\nX-ClickHouse-User: root", "deliveries", "native+zstd", "x UInt8\r\ny UInt8", 1, 1, 1, []byte("x")},
	{".._-", "run_events", "native+zstd", "n Nested(a UInt8, b String)", 3, 9, 2, []byte("GET / HTTP/1.1\r\n\r\n")},
	{"%2e%2e", "publishes'; --", "native+zstd ", "`a` UInt8)", 1, 1, 1, []byte("x")},
}

func (s sent) record() plog.LogRecord {
	record := plog.NewLogRecord()
	attrs := record.Attributes()
	attrs.PutStr(attrRunID, s.run)
	attrs.PutInt(attrWorkerID, s.worker)
	attrs.PutStr(attrStream, s.stream)
	attrs.PutInt(attrSeq, s.seq)
	attrs.PutInt(attrRows, s.rows)
	attrs.PutStr(attrEncoding, s.encoding)
	attrs.PutStr(attrColumns, s.columns)
	record.Body().SetEmptyBytes().FromRaw(s.body)
	return record
}

// pieces are texts with a meaning somewhere on the way; mutations insert them beside random bytes.
var pieces = []string{"\r\n", "\n", "\x00", "/", "..", "'", "`", `"`, "\\", "(", ")", ",", " ", "&", "=", "%00", "+", "?", "#", "é", "\xff", "x"}

// mutated changes a text in a few places.
func mutated(r *rand.Rand, text string) string {
	for range r.IntN(4) {
		at := r.IntN(len(text) + 1)
		to := at + r.IntN(len(text)-at+1)
		switch r.IntN(4) {
		case 0:
			text = text[:at] + pieces[r.IntN(len(pieces))] + text[at:]
		case 1:
			text = text[:at] + text[to:]
		case 2:
			text = text[:to] + text[at:to] + text[to:]
		case 3:
			text = text[:at] + string([]byte{byte(r.IntN(256))}) + text[at:]
		}
	}
	return text
}

// mutated changes about one field, so that many records stay valid.
func (s sent) mutated(r *rand.Rand) sent {
	body := string(s.body)
	for _, text := range []*string{&s.run, &s.stream, &s.encoding, &s.columns, &body} {
		if r.IntN(6) == 0 {
			*text = mutated(r, *text)
		}
	}
	s.body = []byte(body)
	for _, n := range []*int64{&s.worker, &s.seq, &s.rows} {
		if r.IntN(6) == 0 {
			*n = int64(r.Uint64() >> r.IntN(64)) //nolint:gosec // any number
		}
	}
	return s
}

// repeatable is a source of mutations that are the same in every run.
func repeatable() *rand.Rand { return rand.New(rand.NewPCG(1, 2)) }

const mutationsEach = 2000

func checkOneCleanLine(t *testing.T, message string) {
	t.Helper()
	if strings.ContainsFunc(message, unicode.IsControl) || !utf8.ValidString(message) {
		t.Fatalf("not one printable line: %q", message)
	}
}
