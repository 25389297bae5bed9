// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"cmp"
	"errors"
	"io"

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/native"
	"tailrace.dev/warehouse/internal/sqltext"
)

// maxWhole bounds an answer that is held in memory, bytes of columns in the engine. Only statements other
// than SELECT are: SHOW, DESCRIBE, EXPLAIN, KILL and the like.
const maxWhole = "268435456"

// query runs a statement other than an INSERT with data.
func (q *query) query(text string) error {
	if err := q.permit(text); err != nil {
		return err
	}
	analysis := q.conn.Classify(text)
	statement := sqltext.Parse(text)
	readOnly, refusal := q.mayOnlyRead()
	switch {
	case text == "":
		return failure(codeSyntax, "SYNTAX_ERROR", "Empty query")
	case analysis.Statements > 1:
		return failure(codeSyntax, "SYNTAX_ERROR", "Multi-statements are not allowed")
	case statement.Streams && analysis.Class == chdb.Control:
		return failure(codeIntoOutfile, "INTO_OUTFILE_NOT_ALLOWED", "INTO OUTFILE is not allowed")
	case readOnly && !reads(analysis.Class):
		return refusal
	}
	format := statement.Format
	if format == "" {
		format = q.req.defaultFormat
	}
	if format == "" {
		format = defaultFormat
	}
	if !formatName.MatchString(format) {
		return failure(codeUnknownFormat, "UNKNOWN_FORMAT", "Unknown format %s", format)
	}

	out := newAnswer(q, format)
	selects := statement.Streams && analysis.Class == chdb.ReadOnly
	document := selects && (statement.Document || !canStream(format) || q.wantsDocument(format))
	if !selects {
		return out.end(q.whole(text, format, statement, out, reads(analysis.Class)))
	}
	if err := q.lockDown(); err != nil {
		return err
	}
	if document {
		return out.end(q.document(text, format, statement, out))
	}
	return out.end(q.stream(text, format, out))
}

// wantsDocument tells whether a setting makes one document of a format of independent rows. It asks the
// engine where an earlier request of the session may have set it.
func (q *query) wantsDocument(format string) bool {
	on := func(name string) bool { return q.req.settings[name] != "" && q.req.settings[name] != "0" }
	if on("extremes") || on("output_format_json_array_of_rows") {
		return true
	}
	if q.session == nil || native.Is(format) {
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
			return failure(codeCancelled, "QUERY_WAS_CANCELLED", "Query was cancelled")
		}
	}
}

// document has the engine write one document through a pipe. Even of a query that fails the engine writes the
// document to a proper end before it says so: the last piece is therefore held until it has said that all is well.
func (q *query) document(text, format string, statement sqltext.Statement, out *answer) error {
	p, err := openPipe(q.server.spoolDir, q.id)
	if err != nil {
		return err
	}
	defer p.close()
	sql := statement.IntoFile(text, quote(p.path, '\''), format)
	ended := q.watch()
	defer ended()
	type outcome struct {
		stats chdb.Stats
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		defer p.writerEnded()
		result, err := q.conn.Query(sql, format, q.req.params)
		if err != nil {
			done <- outcome{err: err}
			return
		}
		done <- outcome{stats: result.Stats()}
		result.Close()
	}()
	last, sendErr := out.relay(p.read)
	result := <-done
	// Where the sending failed the engine's error is our own cancelling.
	if err := cmp.Or(sendErr, result.err); err != nil {
		return err
	}
	return out.write(last, result.stats)
}

// relay sends what it reads, but for the last piece, which it gives back. When sending fails it reads on:
// the engine must never wait for a reader that is gone.
func (a *answer) relay(r io.Reader) (last []byte, err error) {
	held, next := pieces.Get().(*[]byte), pieces.Get().(*[]byte)
	defer func() {
		pieces.Put(held)
		pieces.Put(next)
	}()
	size := 0
	for {
		n, readErr := r.Read(*next)
		if n > 0 {
			if size > 0 && err == nil {
				if err = a.write((*held)[:size], chdb.Stats{}); err != nil {
					a.q.giveUp()
				}
			}
			held, next, size = next, held, n
		}
		if readErr == nil {
			continue
		}
		if readErr != io.EOF {
			err = errors.Join(err, readErr)
		}
		return append([]byte(nil), (*held)[:size]...), err
	}
}

// whole runs a statement that is no SELECT. One that writes runs to its end whatever becomes of its client.
func (q *query) whole(text, format string, statement sqltext.Statement, out *answer, reads bool) error {
	if statement.FlushLogs {
		q.server.queries.flush()
	}
	if statement.Kill {
		text = sqltext.Replace(text, marked)
	}
	if _, set := q.req.settings["max_result_bytes"]; !set {
		q.req.settings["max_result_bytes"] = maxWhole
		if err := q.applySettings(); err != nil {
			return err
		}
	}
	if err := q.lockDown(); err != nil {
		return err
	}
	ended := func() {}
	if reads {
		ended = q.watch()
	}
	result, err := q.conn.Query(text, format, q.req.params)
	ended()
	if err != nil {
		return err
	}
	defer result.Close()
	return out.write(result.Bytes(), result.Stats())
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
