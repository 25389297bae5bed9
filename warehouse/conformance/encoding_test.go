// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"compress/gzip"
	"compress/zlib"
	"errors"
	"io"
	"net/http"
	"net/url"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// encoding is a compression of answers and requests.
type encoding struct {
	name string
	// ask requests the encoding of the answer, send declares that of the body.
	ask, send func(params url.Values, header http.Header)
	decode    func(io.Reader) (io.Reader, error)
	encode    func(io.Writer) (io.WriteCloser, error)
}

var encodings = []encoding{
	{
		name: "plain", ask: nothing, send: nothing,
		decode: func(r io.Reader) (io.Reader, error) { return r, nil },
		encode: func(w io.Writer) (io.WriteCloser, error) { return unclosed{w}, nil },
	},
	content("gzip",
		func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
		func(w io.Writer) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, gzip.BestSpeed) }),
	content("zstd",
		func(r io.Reader) (io.Reader, error) { return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) },
		func(w io.Writer) (io.WriteCloser, error) { return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1)) }),
	content("lz4",
		func(r io.Reader) (io.Reader, error) { return lz4.NewReader(r), nil },
		func(w io.Writer) (io.WriteCloser, error) { return lz4.NewWriter(w), nil }),
	content("br",
		func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
		func(w io.Writer) (io.WriteCloser, error) { return brotli.NewWriterLevel(w, 1), nil }),
	content("deflate",
		func(r io.Reader) (io.Reader, error) { return zlib.NewReader(r) },
		func(w io.Writer) (io.WriteCloser, error) { return zlib.NewWriterLevel(w, 1) }),
	{
		name:   "native blocks",
		ask:    func(p url.Values, _ http.Header) { p.Set("compress", "1") },
		send:   func(p url.Values, _ http.Header) { p.Set("decompress", "1") },
		decode: func(r io.Reader) (io.Reader, error) { return blocks{compress.NewReader(r)}, nil },
		encode: func(w io.Writer) (io.WriteCloser, error) {
			return blockWriter{w, compress.NewWriter(compress.LevelZero, compress.LZ4)}, nil
		},
	},
}

func nothing(url.Values, http.Header) {}

func content(name string, decode func(io.Reader) (io.Reader, error), encode func(io.Writer) (io.WriteCloser, error)) encoding {
	return encoding{
		name: name, decode: decode, encode: encode,
		ask: func(p url.Values, h http.Header) {
			p.Set("enable_http_compression", "1")
			h.Set("Accept-Encoding", name)
		},
		send: func(_ url.Values, h http.Header) { h.Set("Content-Encoding", name) },
	}
}

type unclosed struct{ io.Writer }

func (unclosed) Close() error { return nil }

// blocks returns a plain io.EOF, and only at the end of a frame.
type blocks struct{ io.Reader }

func (b blocks) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		err = io.EOF
	}
	return n, err
}

type blockWriter struct {
	w io.Writer
	c *compress.Writer
}

func (b blockWriter) Write(data []byte) (int, error) {
	for at := 0; at < len(data); at += 1 << 20 {
		if err := b.c.Compress(data[at:min(at+1<<20, len(data))]); err != nil {
			return at, err
		}
		if _, err := b.w.Write(b.c.Data); err != nil {
			return at, err
		}
	}
	return len(data), nil
}

func (blockWriter) Close() error { return nil }
