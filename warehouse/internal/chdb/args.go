// SPDX-License-Identifier: Apache-2.0

package chdb

import (
	"runtime"
	"unsafe"
)

// empty gives a non-nil address to zero-length texts.
var empty [1]byte

// statement holds the arguments of one call: text, format and named parameters, pinned for its duration.
type statement struct {
	pin                                runtime.Pinner
	sql, format                        unsafe.Pointer
	sqlLen, formatLen                  uintptr
	names, nameLens, values, valueLens unsafe.Pointer
	count                              uintptr
}

func newStatement(sql, format string, params map[string]string) *statement {
	s := &statement{count: uintptr(len(params))}
	s.sql, s.sqlLen = s.text(sql)
	s.format, s.formatLen = s.text(format)
	if len(params) == 0 {
		return s
	}
	names := make([]unsafe.Pointer, 0, len(params))
	values := make([]unsafe.Pointer, 0, len(params))
	nameLens := make([]uintptr, 0, len(params))
	valueLens := make([]uintptr, 0, len(params))
	for name, value := range params {
		ptr, n := s.text(name)
		names, nameLens = append(names, ptr), append(nameLens, n)
		ptr, n = s.text(value)
		values, valueLens = append(values, ptr), append(valueLens, n)
	}
	s.names, s.values = s.array(unsafe.Pointer(&names[0])), s.array(unsafe.Pointer(&values[0]))
	s.nameLens, s.valueLens = s.array(unsafe.Pointer(&nameLens[0])), s.array(unsafe.Pointer(&valueLens[0]))
	return s
}

func (s *statement) text(t string) (unsafe.Pointer, uintptr) {
	if t == "" {
		return unsafe.Pointer(&empty[0]), 0
	}
	ptr := unsafe.Pointer(unsafe.StringData(t))
	s.pin.Pin(ptr)
	return ptr, uintptr(len(t))
}

func (s *statement) array(ptr unsafe.Pointer) unsafe.Pointer {
	s.pin.Pin(ptr)
	return ptr
}

func (s *statement) release() { s.pin.Unpin() }
