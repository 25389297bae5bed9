// SPDX-License-Identifier: Apache-2.0

package chdb

import (
	"runtime"
	"strings"
	"unsafe"
)

// Conn is one connection to the engine. It runs one statement at a time: not for concurrent use.
type Conn struct {
	lib *library
	ptr *handle
	h   handle
}

// Close closes the connection and drops its temporary tables.
func (c *Conn) Close() { c.lib.CloseConn(c.ptr) }

// Query runs a statement to its end and holds the whole answer in memory.
// Parameters replace {name:Type} in the text; their values are in TSV-escaped form.
func (c *Conn) Query(sql, format string, params map[string]string) (*Result, error) {
	return c.lib.result(c.start(c.lib.Query, sql, format, params))
}

// Exec runs a statement and ignores its answer.
func (c *Conn) Exec(sql string) error {
	result, err := c.Query(sql, "Null", nil)
	if err != nil {
		return err
	}
	result.Close()
	return nil
}

func (c *Conn) text(sql string) (string, error) {
	result, err := c.Query(sql, "TSVRaw", nil)
	if err != nil {
		return "", err
	}
	defer result.Close()
	return strings.TrimSuffix(string(result.Bytes()), "\n"), nil
}

// start calls an engine function with a text and its parameters.
func (c *Conn) start(call statementFunc, sql, format string, params map[string]string) handle {
	s := newStatement(sql, format, params)
	defer s.release()
	return call(c.h, s.sql, s.sqlLen, s.format, s.formatLen, s.names, s.nameLens, s.values, s.valueLens, s.count)
}

// empty provides a non-nil address for zero-length texts.
var empty byte

// statement holds the arguments of one call: text, format and named parameters, pinned while the call runs.
type statement struct {
	pin                 runtime.Pinner
	sql, format         *byte
	sqlLen, formatLen   uintptr
	names, values       **byte
	nameLens, valueLens *uintptr
	count               uintptr
}

func newStatement(sql, format string, params map[string]string) *statement {
	s := &statement{count: uintptr(len(params))}
	s.sql, s.sqlLen = s.text(sql)
	s.format, s.formatLen = s.text(format)
	if len(params) == 0 {
		return s
	}
	names, values := make([]string, 0, len(params)), make([]string, 0, len(params))
	for name, value := range params {
		names, values = append(names, name), append(values, value)
	}
	s.names, s.nameLens = s.texts(names)
	s.values, s.valueLens = s.texts(values)
	return s
}

// texts pins one array of pointers and one of lengths. There is at least one text.
func (s *statement) texts(all []string) (**byte, *uintptr) {
	pointers, lengths := make([]*byte, len(all)), make([]uintptr, len(all))
	for i, text := range all {
		pointers[i], lengths[i] = s.text(text)
	}
	s.pin.Pin(&pointers[0])
	s.pin.Pin(&lengths[0])
	return &pointers[0], &lengths[0]
}

func (s *statement) text(t string) (*byte, uintptr) {
	if t == "" {
		return &empty, 0
	}
	ptr := unsafe.StringData(t) //nolint:gosec // the engine only reads it
	s.pin.Pin(ptr)
	return ptr, uintptr(len(t))
}

func (s *statement) release() { s.pin.Unpin() }

// Class is what a statement changes beyond its own run.
type Class uint32

// The engine's classes, from harmless to most restricted.
const (
	ReadOnly       Class = iota // SELECT, SHOW, DESCRIBE, EXPLAIN, EXISTS
	Mutating                    // writes in a database
	MutatingGlobal              // writes outside the databases
	Control                     // USE, SET, SYSTEM, KILL, BACKUP, INTO OUTFILE
	Unknown                     // did not parse
)

// Analysis is what the engine's parser finds in a text without running it.
type Analysis struct {
	Statements int
	Class      Class
}

// analysis is the C struct of it; size is that of the struct, bytes.
type analysis struct{ size, statements, _, class uint32 }

// Classify parses the text with the connection's settings.
func (c *Conn) Classify(sql string) Analysis {
	s := newStatement(sql, "", nil)
	defer s.release()
	out := &analysis{size: 16}
	s.pin.Pin(out)
	if c.lib.Classify(c.h, s.sql, s.sqlLen, nil, 0, out) != 0 {
		return Analysis{Class: Unknown}
	}
	return Analysis{Statements: int(out.statements), Class: Class(out.class)}
}
