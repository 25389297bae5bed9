// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/ClickHouse/ch-go/compress"
)

// frame is one compressed frame of ClickHouse's own framing.
func frame(t *testing.T, text string) []byte {
	t.Helper()
	w := compress.NewWriter(compress.LevelZero, compress.LZ4)
	if err := w.Compress([]byte(text)); err != nil {
		t.Fatal(err)
	}
	return slices.Clone(w.Data)
}

// sendFrames sends a body of compressed frames, and returns the answer's status, code and text.
func (s *server) sendFrames(t *testing.T, sql string, body []byte) (int, string, string) {
	t.Helper()
	params := url.Values{"decompress": {"1"}}
	if sql != "" {
		params.Set("query", sql)
	}
	response, err := client.Do(s.request(t.Context(), s.address, params, bytes.NewReader(body)))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text := &bytes.Buffer{}
	if _, err := text.ReadFrom(response.Body); err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header.Get("X-ClickHouse-Exception-Code"), text.String()
}

// TestFramesAreReadOnce: reading on at the end of a body must not return its last frame again.
func TestFramesAreReadOnce(t *testing.T) {
	s := start(t)
	s.run(t, "CREATE TABLE dd (a UInt32) ENGINE = MergeTree ORDER BY a", nil)
	body := slices.Concat(frame(t, "INSERT INTO dd FORMAT TSV\n"), frame(t, "1\n2\n3\n"))
	if status, _, text := s.sendFrames(t, "", body); status != http.StatusOK {
		t.Fatalf("status %d: %s", status, text)
	}
	if got := s.run(t, "SELECT count(), sum(a) FROM dd", nil); got != "3\t6" {
		t.Errorf("rows and sum are %q, want 3 and 6", got)
	}
	if status, _, text := s.sendFrames(t, "", frame(t, "SELECT 42")); status != http.StatusOK || text != "42\n" {
		t.Errorf("SELECT 42: status %d, %q", status, text)
	}
}

// TestFramesCutOffStoreNothing cuts the last frame at every byte, also right behind its header of 25 bytes: only a body
// that ends with a frame is complete.
func TestFramesCutOffStoreNothing(t *testing.T) {
	s := start(t)
	s.run(t, "CREATE TABLE dd (a UInt32) ENGINE = MergeTree ORDER BY a", nil)
	first, last := frame(t, "1\n2\n3\n"), frame(t, "4\n5\n6\n")
	for _, statement := range []struct{ inURL, inBody string }{
		{inURL: "INSERT INTO dd FORMAT TSV"}, {inBody: "INSERT INTO dd FORMAT TSV\n"},
	} {
		head := first
		if statement.inBody != "" {
			head = slices.Concat(frame(t, statement.inBody), first)
		}
		for cut := 1; cut < len(last); cut++ {
			status, code, text := s.sendFrames(t, statement.inURL, slices.Concat(head, last[:cut]))
			if status == http.StatusOK || code == "" {
				t.Errorf("cut %d bytes into a frame: status %d %s", cut, status, text)
			}
		}
	}
	if got := s.run(t, "SELECT count() FROM dd", nil); got != "0" {
		t.Errorf("%s rows of cut bodies are stored", got)
	}
}
