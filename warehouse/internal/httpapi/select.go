// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"tailrace.dev/warehouse/internal/native"
	"tailrace.dev/warehouse/internal/sqltext"
)

// selectRows runs a SELECT. Its answer is streamed: in the engine's chunks, or as one document.
func (q *query) selectRows(text, format string, parsed sqltext.Statement, out *answer) error {
	document := parsed.Document || !canStream(format) || q.makesDocument(format)
	if err := q.conn.lockDown(); err != nil {
		return err
	}
	if document {
		return q.document(text, format, parsed, out)
	}
	return q.stream(text, format, out)
}

// makesDocument reports whether a setting makes one document of a format of independent rows. It asks the engine
// where an earlier request of the session may have set it.
func (q *query) makesDocument(format string) bool {
	on := func(name string) bool { return q.req.settings[name] != "" && q.req.settings[name] != "0" }
	if on("extremes") || on("output_format_json_array_of_rows") {
		return true
	}
	if q.conn.session == nil || native.Is(format) {
		return false
	}
	result, err := q.conn.Query("SELECT count() FROM system.settings WHERE name IN ('extremes', 'output_format_json_array_of_rows') AND value != '0'", "TSV", nil)
	if err != nil {
		return true
	}
	defer result.Close()
	return string(result.Bytes()) != "0\n"
}

// stream sends the engine's chunks as they come.
func (q *query) stream(text, format string, out *answer) error {
	ended := q.watch()
	defer ended()
	stream, err := q.conn.Stream(text, format, q.req.params)
	if err != nil {
		return err
	}
	defer stream.Close()
	for {
		chunk, err := stream.Next()
		if chunk == nil || err != nil {
			return err
		}
		err = out.write(chunk.Bytes(), chunk.Stats())
		chunk.Close()
		if err != nil {
			return err
		}
		if q.aborted() {
			return failure(394, "QUERY_WAS_CANCELLED", "Query was cancelled")
		}
	}
}
