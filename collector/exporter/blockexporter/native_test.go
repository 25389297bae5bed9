// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

var errShort = errors.New("block ends early")

// nativeReader walks a Native block (revision 0) far enough to name its columns. It keeps no values.
type nativeReader struct{ rest []byte }

// readNative returns the columns and the number of rows of a block, and fails when bytes are left over.
func readNative(data []byte) (columns []column, rows uint64, err error) {
	r := nativeReader{data}
	count, err := r.varuint()
	if err != nil {
		return nil, 0, err
	}
	if rows, err = r.varuint(); err != nil {
		return nil, 0, err
	}
	for range count {
		var c column
		if c.name, err = r.text(); err != nil {
			return nil, 0, err
		}
		if c.typ, err = r.text(); err != nil {
			return nil, 0, err
		}
		if err := r.skipColumn(c.typ, rows); err != nil {
			return nil, 0, fmt.Errorf("column %s: %w", c.name, err)
		}
		columns = append(columns, c)
	}
	if len(r.rest) > 0 {
		return nil, 0, fmt.Errorf("%d bytes follow the block", len(r.rest))
	}
	return columns, rows, nil
}

var widths = map[string]uint64{"UInt16": 2, "UInt32": 4, "Int32": 4, "UInt64": 8, "Int64": 8, "DateTime64(6, 'UTC')": 8}

func (r *nativeReader) skipColumn(typ string, rows uint64) error {
	switch width, fixed := widths[typ]; {
	case fixed:
		return r.skip(width * rows)
	case typ == "String":
		return r.skipTexts(rows)
	case strings.HasPrefix(typ, "LowCardinality("):
		return r.skipLowCardinality(rows)
	}
	return fmt.Errorf("type %s is not of the contract", typ)
}

func (r *nativeReader) skipLowCardinality(rows uint64) error {
	var head [3]uint64 // version, index type, number of keys
	for i := range head {
		var err error
		if head[i], err = r.uint64(); err != nil {
			return err
		}
	}
	if head[0] != 1 || head[1] < 0x600 || head[1] > 0x602 {
		return fmt.Errorf("dictionary has version %d and index type %#x", head[0], head[1])
	}
	if err := r.skipTexts(head[2]); err != nil {
		return err
	}
	indexes, err := r.uint64()
	if err != nil {
		return err
	}
	if indexes != rows {
		return fmt.Errorf("dictionary has %d indexes for %d rows", indexes, rows)
	}
	return r.skip(rows << (head[1] & 0xff))
}

func (r *nativeReader) skipTexts(n uint64) error {
	for range n {
		if _, err := r.text(); err != nil {
			return err
		}
	}
	return nil
}

func (r *nativeReader) skip(n uint64) error {
	if n > uint64(len(r.rest)) {
		return errShort
	}
	r.rest = r.rest[n:]
	return nil
}

func (r *nativeReader) varuint() (uint64, error) {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 {
		return 0, errShort
	}
	return v, r.skip(uint64(n))
}

func (r *nativeReader) uint64() (uint64, error) {
	if len(r.rest) < 8 {
		return 0, errShort
	}
	v := binary.LittleEndian.Uint64(r.rest)
	return v, r.skip(8)
}

func (r *nativeReader) text() (string, error) {
	n, err := r.varuint()
	if err != nil {
		return "", err
	}
	start := r.rest
	if err := r.skip(n); err != nil {
		return "", err
	}
	return string(start[:n]), nil
}
