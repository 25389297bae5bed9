// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"io"
	"testing"

	"github.com/ClickHouse/ch-go/compress"
)

// TestDecodeEndsOnce: every encoding gives what was sent, and at its end nothing more however often it is asked.
func TestDecodeEndsOnce(t *testing.T) {
	const text = "1\n2\n3\n"
	for _, encoding := range []string{"", "zstd", "gzip", "deflate", "lz4", "br", "blocks"} {
		sent := &bytes.Buffer{}
		switch encoding {
		case "":
			sent.WriteString(text)
		case "blocks":
			w := compress.NewWriter(compress.LevelZero, compress.LZ4)
			if err := w.Compress([]byte(text)); err != nil {
				t.Fatal(err)
			}
			sent.Write(w.Data)
		default:
			w, _ := encoder(encoding, sent)
			if _, err := w.Write([]byte(text)); err != nil {
				t.Fatal(err)
			}
			if err := w.Close(); err != nil {
				t.Fatal(err)
			}
		}
		header := encoding
		if encoding == "blocks" {
			header = ""
		}
		body, done, err := decode(sent, header, encoding == "blocks")
		if err != nil {
			t.Fatal(encoding, err)
		}
		if got, err := io.ReadAll(body); err != nil || string(got) != text {
			t.Errorf("%q: %q, %v", encoding, got, err)
		}
		for range 2 {
			if n, err := body.Read(make([]byte, 10)); n != 0 || err != io.EOF {
				t.Errorf("%q: after its end %d bytes, %v", encoding, n, err)
			}
		}
		done()
	}
}
