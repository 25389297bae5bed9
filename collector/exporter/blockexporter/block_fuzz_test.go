// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"strings"
	"testing"
)

// FuzzParseBlock checks that no attributes lead to a token or a statement outside the contract, and that no error message
// brings raw control characters into the log.
func FuzzParseBlock(f *testing.F) {
	for _, s := range sentSeeds {
		f.Add(s.run, s.worker, s.stream, s.seq, s.rows, s.encoding, s.columns, s.body)
	}
	f.Fuzz(func(t *testing.T, run string, worker int64, stream string, seq, rows int64, encoding, columns string, body []byte) {
		checkParseBlock(t, sent{run, stream, encoding, columns, worker, seq, rows, body})
	})
}

func TestParseBlockMutations(t *testing.T) {
	r := repeatable()
	for _, seed := range sentSeeds {
		for range mutationsEach {
			checkParseBlock(t, seed.mutated(r))
		}
	}
}

func checkParseBlock(t *testing.T, s sent) {
	t.Helper()
	b, err := parseBlock(s.record(), true)
	if err != nil {
		checkOneCleanLine(t, oneLine(err).Error())
	}
	if b.complete {
		parts := strings.Split(b.token(), "/")
		if len(parts) != 4 || parts[0] != s.run || parts[2] != s.stream {
			t.Fatalf("token %q does not name run %q and stream %q", b.token(), s.run, s.stream)
		}
		if _, ok := inserts[b.stream]; !ok {
			t.Fatalf("stream %q accepted without an INSERT", b.stream)
		}
		if s.worker < 0 || s.worker > 65535 || s.seq < 0 || s.rows < 1 || s.encoding != "native+zstd" || string(b.body) != string(s.body) {
			t.Fatalf("accepted out of contract: %+v", s)
		}
	}
	if err == nil && (!b.complete || len(b.columns) == 0) {
		t.Fatalf("accepted without name or columns: %+v", s)
	}
}
