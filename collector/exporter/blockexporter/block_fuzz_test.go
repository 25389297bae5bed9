// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"strings"
	"testing"
	"unicode/utf8"

	"go.opentelemetry.io/collector/pdata/plog"
)

// FuzzParseBlock holds that no attributes, whatever they are, make a token or a statement that the contract
// does not know, and that no error message carries raw control characters into the log.
func FuzzParseBlock(f *testing.F) {
	f.Add("run-1", int64(0), "publishes", int64(0), int64(1), "native+zstd", []byte{1})
	f.Add("a/b", int64(65536), "runs", int64(-1), int64(0), "native", []byte{})
	f.Add("../..\n", int64(-1), "publishes\x00", int64(1)<<62, int64(-1), "NATIVE+ZSTD", []byte("text"))
	f.Fuzz(func(t *testing.T, run string, worker int64, stream string, seq, rows int64, encoding string, body []byte) {
		record := plog.NewLogRecord()
		attrs := record.Attributes()
		attrs.PutStr(attrRunID, run)
		attrs.PutInt(attrWorkerID, worker)
		attrs.PutStr(attrStream, stream)
		attrs.PutInt(attrSeq, seq)
		attrs.PutInt(attrRows, rows)
		attrs.PutStr(attrEncoding, encoding)
		record.Body().SetEmptyBytes().FromRaw(body)

		b, err := parseBlock(record, false)
		if err != nil {
			message := oneLine(err).Error()
			if strings.ContainsAny(message, "\n\r\x00") || !utf8.ValidString(message) {
				t.Fatalf("error is not one clean line: %q", message)
			}
			return
		}
		parts := strings.Split(b.token(), "/")
		if len(parts) != 4 || parts[0] != run || parts[2] != stream {
			t.Fatalf("token %q does not name run %q and stream %q", b.token(), run, stream)
		}
		if _, ok := inserts[b.stream]; !ok {
			t.Fatalf("stream %q accepted without an INSERT", b.stream)
		}
		if worker < 0 || worker > 65535 || seq < 0 || rows < 1 || encoding != "native+zstd" || string(b.body) != string(body) {
			t.Fatalf("accepted out of contract: %+v, encoding %q", b, encoding)
		}
	})
}
