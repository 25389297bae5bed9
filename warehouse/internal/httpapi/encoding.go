// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"
)

// maxWindow bounds the memory that a zstd body can make its decoder allocate, bytes.
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
		body = newFrameReader(body)
	}
	return body, done, nil
}

// zstdReaders are the idle decoders. Their windows take megabytes, which are expensive to allocate again.
var zstdReaders sync.Pool

func zstdReader(body io.Reader) (*zstd.Decoder, error) {
	if d, ok := zstdReaders.Get().(*zstd.Decoder); ok {
		return d, d.Reset(body)
	}
	// No goroutines beside the request's own: blocks are small, and the other cores have work.
	return zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
}

func keepZstdReader(d *zstd.Decoder) {
	if d.Reset(nil) == nil {
		zstdReaders.Put(d)
	}
}

func undecodable(encoding string, err error) error {
	if encoding == "" {
		return failure(271, "CANNOT_DECOMPRESS", "The request's body could not be read to its end: %v", err)
	}
	return failure(271, "CANNOT_DECOMPRESS", "The request's body is not valid %s: %v", encoding, err)
}

// flushWriter is a compressor that can write out what it has so far.
type flushWriter interface {
	io.WriteCloser
	Flush() error
}

// encoder returns the compressor of the first supported encoding in the client's list.
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
