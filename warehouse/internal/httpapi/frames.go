// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/ClickHouse/ch-go/compress"
)

// frameReader decompresses ClickHouse's own framing. It ends with a plain io.EOF, and only at the end of a frame.
type frameReader struct {
	body   *counted
	blocks *compress.Reader
	err    error // how it ended: when read again, the block reader would return its last block once more
}

func newFrameReader(body io.Reader) *frameReader {
	c := &counted{Reader: body}
	return &frameReader{body: c, blocks: compress.NewReader(c)}
}

func (f *frameReader) Read(b []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	before := f.body.n
	n, err := f.blocks.Read(b)
	switch {
	case err == nil:
		return n, nil
	case !errors.Is(err, io.EOF):
		f.err = err
	case f.body.n == before:
		// A call that fails begins at a new frame. It read nothing, so there was none.
		f.err = io.EOF
	default:
		f.err = io.ErrUnexpectedEOF
	}
	return n, f.err
}

// counted counts the bytes that are read through it.
type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.n += int64(n)
	return n, err
}

// frameWriter compresses into ClickHouse's own framing.
type frameWriter struct {
	w        io.Writer
	compress *compress.Writer
}

func newFrameWriter(w io.Writer, method string) *frameWriter {
	m := compress.LZ4
	if strings.EqualFold(method, "zstd") {
		m = compress.ZSTD
	}
	return &frameWriter{w: w, compress: compress.NewWriter(compress.LevelZero, m)}
}

// Write splits the data into frames of a size that every client accepts.
func (b *frameWriter) Write(data []byte) (int, error) {
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
