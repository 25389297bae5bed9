// SPDX-License-Identifier: Apache-2.0

// Package native fits ClickHouse Native blocks to newer protocol revisions. The engine writes revision 0:
// no block info, and no byte for a custom serialization between a column's type and its data.
package native

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// FirstFramed is the first protocol revision that needs Frame: from it on every column has a byte for a custom
// serialization.
const FirstFramed = 54454

// blockInfo is: field 1, not an overflow block; field 2, bucket -1; end.
var blockInfo = []byte{1, 0, 2, 0xff, 0xff, 0xff, 0xff, 0}

// Is reports whether a format is Native.
func Is(format string) bool { return strings.EqualFold(format, "Native") }

// Frame rewrites consecutive revision-0 blocks as blocks of revision 54454 and later.
// It fails on a type whose length it does not know.
func Frame(blocks []byte) ([]byte, error) {
	r := &reader{data: blocks}
	out := make([]byte, 0, len(blocks)+64)
	for r.err == nil && r.pos < len(r.data) {
		start := r.pos
		columns, rows := r.uvarint(), r.uvarint()
		out = append(append(out, blockInfo...), r.data[start:r.pos]...)
		for range columns {
			start = r.pos
			r.skip(r.uvarint())
			typeName := r.text()
			out = append(append(out, r.data[start:r.pos]...), 0)
			start = r.pos
			if rows > 0 {
				r.column(typeName, rows)
			}
			if r.err != nil {
				return nil, r.err
			}
			out = append(out, r.data[start:r.pos]...)
		}
	}
	return out, r.err
}

// reader walks over a block. After an error it no longer moves.
type reader struct {
	data []byte
	pos  int
	err  error
}

func (r *reader) skip(n uint64) {
	if r.err != nil {
		return
	}
	left := uint64(len(r.data) - r.pos) //nolint:gosec // pos never passes the end
	if n > left {
		r.err = fmt.Errorf("a Native block ends %d bytes early", n-left)
		return
	}
	r.pos += int(n) //nolint:gosec // n is at most what is left
}

func (r *reader) uvarint() uint64 {
	if r.err != nil {
		return 0
	}
	value, n := binary.Uvarint(r.data[r.pos:])
	if n <= 0 {
		r.err = fmt.Errorf("a Native block ends in the middle of a number")
		return 0
	}
	r.pos += n
	return value
}

func (r *reader) text() string {
	n := r.uvarint()
	start := r.pos
	r.skip(n)
	return string(r.data[start:r.pos])
}

func (r *reader) uint64() uint64 {
	start := r.pos
	r.skip(8)
	if r.err != nil {
		return 0
	}
	return binary.LittleEndian.Uint64(r.data[start:])
}

func (r *reader) strings(n uint64) {
	for range n {
		if r.skip(r.uvarint()); r.err != nil {
			return
		}
	}
}
