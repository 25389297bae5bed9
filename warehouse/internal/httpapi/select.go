// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/native"
	"tailrace.dev/warehouse/internal/sqltext"
)

// maxWhole bounds an answer that has to be held in memory, bytes of columns in the engine.
const maxWhole = "268435456"

// query runs a statement other than an INSERT with data. SELECTs are streamed where their format allows it.
func (q *query) query(text string) error {
	analysis := q.conn.Classify(text)
	statement := sqltext.Parse(text)
	switch {
	case text == "":
		return failure(codeSyntax, "SYNTAX_ERROR", "Empty query")
	case analysis.Statements > 1:
		return failure(codeSyntax, "SYNTAX_ERROR", "Multi-statements are not allowed")
	case statement.Streams && analysis.Class == chdb.Control:
		return failure(codeIntoOutfile, "INTO_OUTFILE_NOT_ALLOWED", "INTO OUTFILE is not allowed")
	case q.req.readonly && analysis.Class != chdb.ReadOnly && analysis.Class != chdb.Unknown:
		return readonlyMethod()
	}
	format := statement.Format
	if format == "" {
		format = q.req.defaultFormat
	}
	if format == "" {
		format = defaultFormat
	}

	out := newAnswer(q, format)
	if statement.Streams && !statement.Totals && !q.req.waitEnd && q.req.settings["extremes"] == "" && canStream(format) {
		return out.end(q.stream(text, format, out))
	}
	return out.end(q.whole(text, format, out, analysis.Class == chdb.ReadOnly))
}

func readonlyMethod() error {
	return failure(codeReadonly, "READONLY",
		"Cannot execute query in readonly mode. For queries over HTTP, method GET implies readonly. Use method POST for modifying queries.")
}

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
		err = out.write(chunk)
		chunk.Close()
		if err != nil {
			return err
		}
		if q.aborted() {
			return failure(codeCancelled, "QUERY_WAS_CANCELLED", "Query was cancelled")
		}
	}
}

// whole runs a statement whose answer cannot be put together from chunks.
// One that writes runs to its end whatever becomes of its client.
func (q *query) whole(text, format string, out *answer, readOnly bool) error {
	if _, set := q.req.settings["max_result_bytes"]; !set {
		q.req.settings["max_result_bytes"] = maxWhole
		if err := q.applySettings(); err != nil {
			return err
		}
	}
	ended := func() {}
	if readOnly {
		ended = q.watch()
	}
	result, err := q.conn.Query(text, format, q.req.params)
	ended()
	if err != nil {
		return err
	}
	defer result.Close()
	return out.write(result)
}

// frame fits Native blocks to the protocol revision that the client asked for.
func (q *query) frame(format string, data []byte) ([]byte, error) {
	if !native.Is(format) || q.req.revision < native.FirstFramed {
		return data, nil
	}
	framed, err := native.Frame(data)
	if err != nil {
		return nil, notImplemented("%v. Ask with client_protocol_version=0, or cast the column to another type.", err)
	}
	return framed, nil
}
