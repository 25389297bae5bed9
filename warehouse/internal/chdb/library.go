// SPDX-License-Identifier: Apache-2.0

// Package chdb binds libchdb, the ClickHouse engine as a shared library, without cgo.
package chdb

import (
	"fmt"

	"github.com/ebitengine/purego"
)

// handle is an object that the engine owns: a connection, a result or an insert stream.
type handle uintptr

// library holds the engine's C functions. All lengths are explicit, so texts may contain NUL bytes.
type library struct {
	version            func() string
	setSignalHandlers  func(enabled int32)
	connect            func(argc int32, argv **byte) *handle
	closeConn          func(conn *handle)
	classify           func(conn handle, sql *byte, n uintptr, database *byte, databaseLen uintptr, out *analysis) int32
	query              statementFunc
	streamQuery        statementFunc
	streamFetch        func(conn, stream handle) handle
	streamCancel       func(conn, stream handle)
	resultBuffer       func(result handle) *byte
	resultLength       func(result handle) uintptr
	resultError        func(result handle) string
	resultRowsRead     func(result handle) uint64
	resultBytesRead    func(result handle) uint64
	storageRowsRead    func(result handle) uint64
	storageBytesRead   func(result handle) uint64
	resultRowsWritten  func(result handle) uint64
	resultBytesWritten func(result handle) uint64
	destroyResult      func(result handle)
	insert             statementFunc
	insertAppend       func(stream handle, data *byte, n uintptr) int32
	insertDone         func(stream handle) handle
	insertCancel       func(stream handle)
	insertError        func(stream handle) string
	destroyInsert      func(stream handle)
}

// statementFunc runs a text with parameters: arrays of names and of values, each with an array of lengths.
type statementFunc func(conn handle, sql *byte, n uintptr, format *byte, formatLen uintptr,
	names **byte, nameLens *uintptr, values **byte, valueLens *uintptr, count uintptr) handle

// load opens the shared library at path and resolves every function in use, so that a library of another generation fails
// here and not during a request.
func load(path string) (*library, error) {
	if err := setEnvironment(); err != nil {
		return nil, err
	}
	dl, err := purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
	if err != nil {
		return nil, fmt.Errorf("open engine library: %w", err)
	}
	lib := &library{}
	for name, target := range map[string]any{
		"chdb_version":                     &lib.version,
		"chdb_set_signal_handlers_enabled": &lib.setSignalHandlers,
		"chdb_connect":                     &lib.connect,
		"chdb_close_conn":                  &lib.closeConn,
		"chdb_classify_query_n":            &lib.classify,
		"chdb_query_with_params_n":         &lib.query,
		"chdb_stream_query_with_params_n":  &lib.streamQuery,
		"chdb_stream_fetch_result":         &lib.streamFetch,
		"chdb_stream_cancel_query":         &lib.streamCancel,
		"chdb_result_buffer":               &lib.resultBuffer,
		"chdb_result_length":               &lib.resultLength,
		"chdb_result_error":                &lib.resultError,
		"chdb_result_rows_read":            &lib.resultRowsRead,
		"chdb_result_bytes_read":           &lib.resultBytesRead,
		"chdb_result_storage_rows_read":    &lib.storageRowsRead,
		"chdb_result_storage_bytes_read":   &lib.storageBytesRead,
		"chdb_result_rows_written":         &lib.resultRowsWritten,
		"chdb_result_bytes_written":        &lib.resultBytesWritten,
		"chdb_destroy_query_result":        &lib.destroyResult,
		"chdb_stream_insert_with_params_n": &lib.insert,
		"chdb_stream_append":               &lib.insertAppend,
		"chdb_stream_done":                 &lib.insertDone,
		"chdb_stream_cancel_insert":        &lib.insertCancel,
		"chdb_stream_insert_error":         &lib.insertError,
		"chdb_destroy_insert_stream":       &lib.destroyInsert,
	} {
		symbol, err := purego.Dlsym(dl, name)
		if err != nil {
			return nil, fmt.Errorf("%s is not a libchdb of the supported generation: no function %s", path, name)
		}
		purego.RegisterFunc(target, symbol)
	}
	return lib, nil
}
