// SPDX-License-Identifier: Apache-2.0

package chdb

import "unsafe"

// Result is an answer, or one chunk of it, in memory that the engine owns.
type Result struct {
	lib *library
	h   handle
}

// Stats counts what a statement did, in rows and uncompressed bytes.
// Written counts include the rows of materialized views. The JSON names are the columns of a server's query log.
type Stats struct {
	ReadRows     uint64 `json:"read_rows"`
	ReadBytes    uint64 `json:"read_bytes"`
	WrittenRows  uint64 `json:"written_rows"`
	WrittenBytes uint64 `json:"written_bytes"`
	ResultRows   uint64 `json:"result_rows"`
	ResultBytes  uint64 `json:"result_bytes"`
}

// Add adds the counts of another chunk.
func (s *Stats) Add(more Stats) {
	s.ReadRows += more.ReadRows
	s.ReadBytes += more.ReadBytes
	s.WrittenRows += more.WrittenRows
	s.WrittenBytes += more.WrittenBytes
	s.ResultRows += more.ResultRows
	s.ResultBytes += more.ResultBytes
}

// result turns a handle into a Result or its error.
func (lib *library) result(h handle) (*Result, error) {
	if h == 0 {
		return nil, parseError("Code: 1002. DB::Exception: The engine gave no answer. (UNKNOWN_EXCEPTION)")
	}
	if text := lib.ResultError(h); text != "" {
		lib.DestroyResult(h)
		return nil, parseError(text)
	}
	return &Result{lib: lib, h: h}, nil
}

// Bytes is the answer in its format, valid until Close.
func (r *Result) Bytes() []byte {
	n := r.lib.ResultLength(r.h)
	if n == 0 {
		return nil
	}
	return unsafe.Slice(r.lib.ResultBuffer(r.h), n) //nolint:gosec // length and buffer belong to one result
}

// Stats counts what the statement, or this chunk of it, did.
func (r *Result) Stats() Stats {
	return Stats{
		ReadRows: r.lib.StorageRowsRead(r.h), ReadBytes: r.lib.StorageBytesRead(r.h),
		WrittenRows: r.lib.ResultRowsWritten(r.h), WrittenBytes: r.lib.ResultBytesWritten(r.h),
		ResultRows: r.lib.ResultRowsRead(r.h), ResultBytes: r.lib.ResultBytesRead(r.h),
	}
}

// Close frees the memory behind Bytes.
func (r *Result) Close() { r.lib.DestroyResult(r.h) }
