// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"tailrace.dev/warehouse/internal/chdb"
)

const (
	exceptionCodeHeader = "X-ClickHouse-Exception-Code"
	exceptionTagHeader  = "X-ClickHouse-Exception-Tag"
	plainText           = "text/plain; charset=UTF-8"
)

// setHeaders sets the headers that a ClickHouse server sends with every answer.
func (q *query) setHeaders(format string) {
	header := q.w.Header()
	header.Set("X-ClickHouse-Query-Id", q.req.queryID)
	header.Set("X-ClickHouse-Server-Display-Name", q.server.Hostname)
	header.Set("X-ClickHouse-Timezone", "UTC")
	if format == "" {
		header.Set("Content-Type", plainText)
		return
	}
	header.Set("X-ClickHouse-Format", format)
	header.Set("Content-Type", contentType(format))
}

// setSummary sends the counts known when the answer begins; a streamed SELECT goes on counting.
func (q *query) setSummary(s chdb.Stats) {
	q.w.Header().Set("X-ClickHouse-Summary", fmt.Sprintf(
		`{"read_rows":"%d","read_bytes":"%d","written_rows":"%d","written_bytes":"%d","total_rows_to_read":"0","result_rows":"%d","result_bytes":"%d","elapsed_ns":"%d"}`,
		s.ReadRows, s.ReadBytes, s.WrittenRows, s.WrittenBytes, s.ResultRows, s.ResultBytes, time.Since(q.begun).Nanoseconds()))
}

// failure is an error with ClickHouse's code and name for it.
func failure(code int, name, format string, args ...any) *chdb.Error {
	return &chdb.Error{Code: code, Name: name, Message: fmt.Sprintf(format, args...)}
}

func badArguments(format string, args ...any) *chdb.Error {
	return failure(36, "BAD_ARGUMENTS", format, args...)
}

func notImplemented(format string, args ...any) *chdb.Error {
	return failure(48, "NOT_IMPLEMENTED", format, args...)
}

func asEngineError(err error) *chdb.Error {
	if e, ok := errors.AsType[*chdb.Error](err); ok {
		return e
	}
	return failure(1002, "UNKNOWN_EXCEPTION", "%v", err)
}

// statusOf is the HTTP status that a ClickHouse server sends with an error code.
func statusOf(code int) int {
	switch code {
	case 194:
		return http.StatusUnauthorized
	case 192, 193, 497, 512, 516:
		return http.StatusForbidden
	case 6, 8, 15, 25, 26, 27, 36, 37, 38, 41, 44, 53, 62, 72, 117, 123, 167, 168, 223, 321, 376, 427, 441, 675, 676:
		return http.StatusBadRequest
	case 46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 152, 336, 511:
		return http.StatusNotFound
	case 229:
		return http.StatusRequestEntityTooLarge
	case 48:
		return http.StatusNotImplemented
	case 76, 209, 439:
		return http.StatusServiceUnavailable
	case 381:
		return http.StatusLengthRequired
	case 159:
		return http.StatusRequestTimeout
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
	_, _ = fmt.Fprintln(w, exceptionText(e, s.Engine.Version())) //nolint:gosec // text/plain, and never sniffed
}
