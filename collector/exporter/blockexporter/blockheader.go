// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// A frame with a larger window goes to ClickHouse unchecked: its memory would cost more than the check is worth.
const largestWindow = 8 << 20

// decoders are reused. With a concurrency of 1 they have no goroutines that would have to be ended.
var decoders = sync.Pool{New: func() any {
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxWindow(largestWindow))
	if err != nil {
		panic(err) // only if the options contradict each other
	}
	return decoder
}}

// readBlockHeader reads the numbers of columns and rows at the start of a block. It decodes at most the first 128 KiB. It
// returns an error when the body cannot be read that far; ClickHouse then reports the fault.
func readBlockHeader(body []byte) (columns, rows uint64, err error) {
	decoder := decoders.Get().(*zstd.Decoder)
	defer decoders.Put(decoder)
	defer func() { err = errors.Join(err, decoder.Reset(nil)) }()
	if err := decoder.Reset(bytes.NewReader(body)); err != nil {
		return 0, 0, fmt.Errorf("start decoding: %w", err)
	}
	head := make([]byte, 2*binary.MaxVarintLen64)
	read, err := io.ReadFull(decoder, head)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return 0, 0, fmt.Errorf("decode: %w", err)
	}
	columns, first := binary.Uvarint(head[:read])
	if first <= 0 {
		return 0, 0, errors.New("no number of columns")
	}
	rows, second := binary.Uvarint(head[first:read])
	if second <= 0 {
		return 0, 0, errors.New("no number of rows")
	}
	return columns, rows, nil
}

// checkBlockHeader compares the attributes with the block's own numbers. A wrong number of rows would make the sender's
// ledger wrong, and columns that the attribute does not name would be stored unchecked.
func checkBlockHeader(b *block) error {
	columns, rows, err := readBlockHeader(b.body)
	if err != nil {
		return nil //nolint:nilerr // ClickHouse reports the fault
	}
	var errs []error
	if rows != uint64(b.rows) { //nolint:gosec // parsed to be 1 or more
		errs = append(errs, fmt.Errorf("%s: is %d, the block has %d rows", attrRows, b.rows, rows))
	}
	if len(b.columns) > 0 && columns != uint64(len(b.columns)) {
		errs = append(errs, fmt.Errorf("%s: names %d, the block has %d columns", attrColumns, len(b.columns), columns))
	}
	return errors.Join(errs...)
}
