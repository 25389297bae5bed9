// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/ClickHouse/ch-go/compress"
	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// maxWindow bounds the memory that a zstd body can make its decoder take, bytes.
const maxWindow = 64 << 20

// decode undoes a request's Content-Encoding and ClickHouse's own compression. The closer frees the decoder.
func decode(body io.Reader, encoding string, blocks bool) (io.Reader, func(), error) {
	done := func() {}
	switch strings.ToLower(encoding) {
	case "", "identity":
	case "zstd":
		d, err := zstdReader(body)
		if err != nil {
			return nil, nil, fmt.Errorf("start zstd decoder: %w", err)
		}
		body, done = d, func() { keepZstdReader(d) }
	case "gzip":
		d, err := gzip.NewReader(body)
		if err != nil {
			return nil, nil, undecodable(encoding, err)
		}
		body = d
	case "deflate":
		d, err := zlib.NewReader(body)
		if err != nil {
			return nil, nil, undecodable(encoding, err)
		}
		body = d
	case "lz4":
		body = lz4.NewReader(body)
	case "br":
		body = brotli.NewReader(body)
	default:
		return nil, nil, notImplemented("Content-Encoding %q is not supported. Use zstd, lz4, gzip, br or deflate.", encoding)
	}
	if blocks {
		body = newFrames(body)
	}
	return body, done, nil
}

// zstdReaders are decoders between two requests. Their windows take megabytes, which are dear to make anew.
var zstdReaders sync.Pool

func zstdReader(body io.Reader) (*zstd.Decoder, error) {
	if d, ok := zstdReaders.Get().(*zstd.Decoder); ok {
		return d, d.Reset(body)
	}
	// One goroutine: the request's own. Blocks are small and the other core has work.
	return zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
}

func keepZstdReader(d *zstd.Decoder) {
	if d.Reset(nil) == nil {
		zstdReaders.Put(d)
	}
}

func undecodable(encoding string, err error) error {
	if encoding == "" {
		return failure(codeCannotDecompress, "CANNOT_DECOMPRESS", "The request's body could not be read to its end: %v", err)
	}
	return failure(codeCannotDecompress, "CANNOT_DECOMPRESS", "The request's body is not valid %s: %v", encoding, err)
}

// flushWriter is a compressor that can hand on what it has so far.
type flushWriter interface {
	io.WriteCloser
	Flush() error
}

// encoder gives the compressor for the first encoding of the client's list that is supported.
func encoder(accept string, w io.Writer) (flushWriter, string) {
	for entry := range strings.SplitSeq(accept, ",") {
		name, quality, _ := strings.Cut(strings.TrimSpace(entry), ";")
		if strings.TrimSpace(quality) == "q=0" {
			continue
		}
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "zstd":
			// More than one goroutine together with Flush has lost data at the end of an answer.
			e, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest))
			if err == nil {
				return e, "zstd"
			}
		case "lz4":
			return lz4.NewWriter(w), "lz4"
		case "gzip":
			e, _ := gzip.NewWriterLevel(w, gzip.BestSpeed)
			return e, "gzip"
		case "br":
			return brotli.NewWriterLevel(w, brotli.BestSpeed), "br"
		case "deflate":
			e, _ := zlib.NewWriterLevel(w, zlib.BestSpeed)
			return e, "deflate"
		}
	}
	return nil, ""
}

// blockWriter writes ClickHouse's compressed framing, one compressed block per Write.
type blockWriter struct {
	w        io.Writer
	compress *compress.Writer
}

func newBlockWriter(w io.Writer, method string) *blockWriter {
	m := compress.LZ4
	if strings.EqualFold(method, "zstd") {
		m = compress.ZSTD
	}
	return &blockWriter{w: w, compress: compress.NewWriter(compress.LevelZero, m)}
}

// Write splits what it gets into frames of a size that every client accepts.
func (b *blockWriter) Write(data []byte) (int, error) {
	const frame = 1 << 20
	for at := 0; at < len(data); at += frame {
		if err := b.compress.Compress(data[at:min(at+frame, len(data))]); err != nil {
			return at, fmt.Errorf("compress answer: %w", err)
		}
		if _, err := b.w.Write(b.compress.Data); err != nil {
			return at, err
		}
	}
	return len(data), nil
}
