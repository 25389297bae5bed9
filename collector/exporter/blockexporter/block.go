// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"errors"
	"fmt"
	"math"
	"regexp"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/plog"
)

// Attributes of a log record that carries a block (docs/contracts/block.md).
const (
	attrRunID    = "tailrace.run.id"
	attrWorkerID = "tailrace.worker.id"
	attrStream   = "tailrace.stream"
	attrSeq      = "tailrace.block.seq"
	attrRows     = "tailrace.block.rows"
	attrEncoding = "tailrace.block.encoding"
	attrColumns  = "tailrace.block.columns"
)

const encodingNativeZstd = "native+zstd"

var runIDPattern = regexp.MustCompile(`\A[A-Za-z0-9._-]{1,128}\z`)

// block is one log record: the unchanged body and what its attributes state about it.
type block struct {
	runID  string
	worker int64
	stream string
	seq    int64
	rows   int64
	body   []byte
	// columns are those that the sender states; none where it states nothing.
	columns []column
	// columnsText is the attribute that they come from, also when it cannot be parsed.
	columnsText string
	// complete is false for a record without everything that naming and storing the block requires.
	complete bool
}

// token is the deduplication token: the same block sent twice is stored once.
func (b *block) token() string {
	return fmt.Sprintf("%s/%d/%s/%d", b.runID, b.worker, b.stream, b.seq)
}

// parseBlock checks a log record against the contract and reports all its faults at once. It returns the block even
// then, as far as it could be read, so that the refusal can be counted, logged and kept.
func parseBlock(record plog.LogRecord, requireColumns bool) (*block, error) {
	r := attributeReader{attrs: record.Attributes()}
	b := &block{
		runID:  r.text(attrRunID, must(runIDPattern.MatchString, "match [A-Za-z0-9._-]{1,128}")),
		worker: r.integer(attrWorkerID, 0, math.MaxUint16),
		stream: r.text(attrStream, must(isStream, "be a stream of the block contract")),
		seq:    r.integer(attrSeq, 0, math.MaxInt64),
		rows:   r.integer(attrRows, 1, math.MaxInt64),
	}
	r.text(attrEncoding, must(func(text string) bool { return text == encodingNativeZstd }, "be "+encodingNativeZstd))

	switch body := record.Body(); {
	case body.Type() != pcommon.ValueTypeBytes:
		r.errs = append(r.errs, fmt.Errorf("body: must be bytes, is %s", body.Type()))
	case body.Bytes().Len() == 0:
		r.errs = append(r.errs, errors.New("body: is empty"))
	default:
		b.body = body.Bytes().AsRaw()
	}
	b.complete = len(r.errs) == 0

	if value, ok := record.Attributes().Get(attrColumns); ok || requireColumns {
		if ok && value.Type() == pcommon.ValueTypeStr {
			b.columnsText = value.Str()
		}
		r.text(attrColumns, func(text string) (err error) {
			b.columns, err = parseColumns(text)
			return err
		})
	}
	if len(r.errs) == 0 {
		return b, checkBlockHeader(b)
	}
	return b, errors.Join(r.errs...)
}

// must turns a condition on an attribute's text into a check.
func must(condition func(string) bool, requirement string) func(string) error {
	return func(text string) error {
		if !condition(text) {
			return errors.New("must " + requirement)
		}
		return nil
	}
}

func isStream(text string) bool {
	_, ok := inserts[text]
	return ok
}

// attributeReader reads typed attributes and collects all faults of a record, so that its sender sees them at once.
type attributeReader struct {
	attrs pcommon.Map
	errs  []error
}

func (r *attributeReader) text(key string, check func(string) error) string {
	v, ok := r.attrs.Get(key)
	if !ok {
		r.errs = append(r.errs, fmt.Errorf("%s: is missing", key))
		return ""
	}
	if v.Type() != pcommon.ValueTypeStr {
		r.errs = append(r.errs, fmt.Errorf("%s: must be a string, is %s", key, v.Type()))
		return ""
	}
	if err := check(v.Str()); err != nil {
		r.errs = append(r.errs, fmt.Errorf("%s: %w, is %.160q", key, err, v.Str()))
		return ""
	}
	return v.Str()
}

func (r *attributeReader) integer(key string, lowest, highest int64) int64 {
	v, ok := r.attrs.Get(key)
	if !ok {
		r.errs = append(r.errs, fmt.Errorf("%s: is missing", key))
		return 0
	}
	if v.Type() != pcommon.ValueTypeInt {
		r.errs = append(r.errs, fmt.Errorf("%s: must be an int, is %s", key, v.Type()))
		return 0
	}
	if n := v.Int(); n < lowest || n > highest {
		r.errs = append(r.errs, fmt.Errorf("%s: must be %d to %d, is %d", key, lowest, highest, n))
		return 0
	}
	return v.Int()
}
