// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"tailrace.dev/warehouse/internal/chdb"
)

// ClickHouse error codes that this program raises itself.
const (
	codeBadArguments     = 36
	codeNotImplemented   = 48
	codeSyntax           = 62
	codeUnknownFormat    = 73
	codeReadonly         = 164
	codeCannotDecompress = 271
	codeTooMany          = 202
	codeSameID           = 216
	codeIntoOutfile      = 358
	codeSessionNotFound  = 372
	codeSessionLocked    = 373
	codeCancelled        = 394
	codeTooLarge         = 396
	codeConstraint       = 452
	codeAccessDenied     = 497
	codeAuthentication   = 516
	codeUnknown          = 1002
)

func failure(code int, name, format string, args ...any) *chdb.Error {
	return &chdb.Error{Code: code, Name: name, Message: fmt.Sprintf(format, args...)}
}

func badArguments(format string, args ...any) *chdb.Error {
	return failure(codeBadArguments, "BAD_ARGUMENTS", format, args...)
}

func notImplemented(format string, args ...any) *chdb.Error {
	return failure(codeNotImplemented, "NOT_IMPLEMENTED", format, args...)
}

// statuses maps error codes to HTTP statuses as a ClickHouse server does; every other code is a 500.
var statuses = func() map[int]int {
	table := map[int][]int{
		http.StatusUnauthorized: {194},
		http.StatusForbidden:    {192, 193, 497, 512, 516},
		http.StatusBadRequest: {
			6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427, 441, 675, 676,
		},
		http.StatusNotFound:              {46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511},
		http.StatusRequestEntityTooLarge: {229},
		http.StatusNotImplemented:        {48},
		http.StatusServiceUnavailable:    {76, 209, 439},
		http.StatusLengthRequired:        {381},
		http.StatusRequestTimeout:        {159},
	}
	out := map[int]int{}
	for status, codes := range table {
		for _, code := range codes {
			out[code] = status
		}
	}
	return out
}()

func asEngineError(err error) *chdb.Error {
	if e, ok := errors.AsType[*chdb.Error](err); ok {
		return e
	}
	return failure(codeUnknown, "UNKNOWN_EXCEPTION", "%v", err)
}

func statusOf(code int) int {
	if status, ok := statuses[code]; ok {
		return status
	}
	return http.StatusInternalServerError
}

// exceptionText is an error as a ClickHouse server words it.
func exceptionText(e *chdb.Error, version string) string {
	return e.Error() + " (version " + version + ")"
}

// writeError answers a request whose answer has not begun.
func (s *Server) writeError(w http.ResponseWriter, err error) {
	e := asEngineError(err)
	header := w.Header()
	header.Del("Content-Encoding")
	header.Set(exceptionCodeHeader, strconv.Itoa(e.Code))
	header.Set("Content-Type", plainText)
	w.WriteHeader(statusOf(e.Code))
	_, _ = fmt.Fprintln(w, exceptionText(e, s.engine.Version())) //nolint:gosec // text/plain, and never sniffed
}
