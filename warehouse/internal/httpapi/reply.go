// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"fmt"
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
