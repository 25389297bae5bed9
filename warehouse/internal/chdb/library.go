// SPDX-License-Identifier: Apache-2.0

// Package chdb binds libchdb, the ClickHouse engine as a shared library, without cgo.
package chdb

import (
	"fmt"
	"reflect"

	"github.com/ebitengine/purego"
)

// handle is an object that the engine owns: a connection, a result or an insert stream.
type handle uintptr

// library holds the engine's C functions; the tag is the C name. All lengths are explicit, so texts may contain NUL bytes.
type library struct {
	SetSignalHandlers  func(enabled int32)                              `c:"chdb_set_signal_handlers_enabled"`
	Connect            func(argc int32, argv **byte) *handle            `c:"chdb_connect"`
	CloseConn          func(conn *handle)                               `c:"chdb_close_conn"`
	Classify           classifyFunc                                     `c:"chdb_classify_query_n"`
	Query              statementFunc                                    `c:"chdb_query_with_params_n"`
	StreamQuery        statementFunc                                    `c:"chdb_stream_query_with_params_n"`
	StreamFetch        func(conn, stream handle) handle                 `c:"chdb_stream_fetch_result"`
	StreamCancel       func(conn, stream handle)                        `c:"chdb_stream_cancel_query"`
	ResultBuffer       func(result handle) *byte                        `c:"chdb_result_buffer"`
	ResultLength       func(result handle) uintptr                      `c:"chdb_result_length"`
	ResultError        func(result handle) string                       `c:"chdb_result_error"`
	ResultRowsRead     func(result handle) uint64                       `c:"chdb_result_rows_read"`
	ResultBytesRead    func(result handle) uint64                       `c:"chdb_result_bytes_read"`
	StorageRowsRead    func(result handle) uint64                       `c:"chdb_result_storage_rows_read"`
	StorageBytesRead   func(result handle) uint64                       `c:"chdb_result_storage_bytes_read"`
	ResultRowsWritten  func(result handle) uint64                       `c:"chdb_result_rows_written"`
	ResultBytesWritten func(result handle) uint64                       `c:"chdb_result_bytes_written"`
	DestroyResult      func(result handle)                              `c:"chdb_destroy_query_result"`
	Insert             statementFunc                                    `c:"chdb_stream_insert_with_params_n"`
	InsertAppend       func(stream handle, data *byte, n uintptr) int32 `c:"chdb_stream_append"`
	InsertDone         func(stream handle) handle                       `c:"chdb_stream_done"`
	InsertCancel       func(stream handle)                              `c:"chdb_stream_cancel_insert"`
	InsertError        func(stream handle) string                       `c:"chdb_stream_insert_error"`
	DestroyInsert      func(stream handle)                              `c:"chdb_destroy_insert_stream"`
}

// statementFunc runs a text with parameters: arrays of names and of values, each with an array of lengths.
type statementFunc func(conn handle, sql *byte, n uintptr, format *byte, formatLen uintptr,
	names **byte, nameLens *uintptr, values **byte, valueLens *uintptr, count uintptr) handle

// classifyFunc parses a text in a database, the connection's own if the name is nil.
type classifyFunc func(conn handle, sql *byte, n uintptr, database *byte, databaseLen uintptr, out *analysis) int32

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
	functions := reflect.ValueOf(lib).Elem()
	for i := range functions.NumField() {
		name := functions.Type().Field(i).Tag.Get("c")
		symbol, err := purego.Dlsym(dl, name)
		if err != nil {
			return nil, fmt.Errorf("%s is not a libchdb of the supported generation: no function %s", path, name)
		}
		purego.RegisterFunc(functions.Field(i).Addr().Interface(), symbol)
	}
	return lib, nil
}

// environment lists the settings that the engine reads from the C library's environment, which os.Setenv does not reach.
// They must be set before the library is opened.
var environment = []struct {
	name, value string
	overwrite   int32
}{
	// Answers must not depend on the host's time zone.
	{"TZ", "UTC", 1},
	// Freed pages stay with the process for half a minute. Blocks arrive once a second and need the same pages each
	// time; by then the allocator would have returned them, and the kernel would have to map and clear them again.
	{"JE_MALLOC_CONF", "dirty_decay_ms:30000,muzzy_decay_ms:30000", 0},
}

func setEnvironment() error {
	symbol, err := purego.Dlsym(purego.RTLD_DEFAULT, "setenv")
	if err != nil {
		return fmt.Errorf("find setenv in the C library: %w", err)
	}
	var setenv func(name, value string, overwrite int32) int32
	purego.RegisterFunc(&setenv, symbol)
	for _, set := range environment {
		if setenv(set.name, set.value, set.overwrite) != 0 {
			return fmt.Errorf("setenv %s failed in the C library", set.name)
		}
	}
	return nil
}
