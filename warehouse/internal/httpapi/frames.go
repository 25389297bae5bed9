// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"errors"
	"io"

	"github.com/ClickHouse/ch-go/compress"
)

// frames decompresses ClickHouse's own framing. It ends with a plain io.EOF, at a frame's border only.
type frames struct {
	body   *counted
	blocks *compress.Reader
	err    error // how it ended: asked again, the block reader would give its last block once more
}

func newFrames(body io.Reader) *frames {
	c := &counted{Reader: body}
	return &frames{body: c, blocks: compress.NewReader(c)}
}

func (f *frames) Read(b []byte) (int, error) {
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
		// A call that fails has begun with a new frame: it took nothing, so there was none.
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
