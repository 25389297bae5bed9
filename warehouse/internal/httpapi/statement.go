// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"cmp"
	"io"
	"strings"

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/sqltext"
)

// maxStatement is the longest statement without its data, bytes.
const maxStatement = 4 << 20

// headSize is how far into a request's text an INSERT's data must begin: ClickHouse's max_query_size.
const headSize = 256 << 10

// run runs the request as an INSERT with data, or as another statement.
func (q *query) run() error {
	if in, ok := sqltext.ParseInsert(q.req.text); ok {
		rest := strings.TrimSpace(q.req.text[min(in.DataAt, len(q.req.text)):])
		data := q.body
		if rest != "" {
			data = io.MultiReader(strings.NewReader(rest+"\n"), data)
		}
		return q.insert(in, data)
	}
	head := &bytes.Buffer{}
	if q.req.text != "" {
		head.WriteString(q.req.text + "\n")
	}
	if err := q.readBody(head, headSize); err != nil {
		return err
	}
	if in, ok := sqltext.ParseInsert(head.String()); ok {
		q.text = in.Text
		head.Next(in.DataAt)
		return q.insert(in, io.MultiReader(head, q.body))
	}
	if err := q.readBody(head, maxStatement+1); err != nil {
		return err
	}
	if head.Len() > maxStatement {
		return tooLong()
	}
	if q.conn.session == nil {
		if err := q.conn.applySettings(); err != nil {
			return err
		}
	}
	q.text = strings.TrimSpace(head.String())
	return q.statement(q.text)
}

func (q *query) readBody(to *bytes.Buffer, most int64) error {
	if _, err := io.Copy(to, io.LimitReader(q.body, most)); err != nil {
		return undecodable(q.r.Header.Get("Content-Encoding"), err)
	}
	return nil
}

func tooLong() error {
	return failure(62, "SYNTAX_ERROR", "The statement is longer than %d bytes. Send data in the body of an INSERT … FORMAT.", maxStatement)
}

// statement runs a statement other than an INSERT with data.
func (q *query) statement(text string) error {
	if err := permit(q.req.user, text); err != nil {
		return err
	}
	analysis, parsed := q.conn.Classify(text), sqltext.Parse(text)
	if err := q.check(text, parsed, analysis); err != nil {
		return err
	}
	format := cmp.Or(parsed.Format, q.req.defaultFormat, defaultFormat)
	if !formatName.MatchString(format) {
		return failure(73, "UNKNOWN_FORMAT", "Unknown format %s", format)
	}
	out := q.newAnswer(format)
	var err error
	if parsed.Select && analysis.Class == chdb.ReadOnly {
		err = q.selectRows(text, format, parsed, out)
	} else {
		err = q.command(text, format, parsed, out, reads(analysis.Class))
	}
	err = out.end(err)
	q.stats = out.stats
	return err
}

// check refuses what no request, or not this one, may run.
func (q *query) check(text string, parsed sqltext.Statement, analysis chdb.Analysis) error {
	switch {
	case text == "":
		return failure(62, "SYNTAX_ERROR", "Empty query")
	case analysis.Statements > 1:
		return failure(62, "SYNTAX_ERROR", "Multi-statements are not allowed")
	case parsed.Select && analysis.Class == chdb.Control:
		return failure(358, "INTO_OUTFILE_NOT_ALLOWED", "INTO OUTFILE is not allowed")
	case !reads(analysis.Class):
		return q.req.mayWrite()
	}
	return nil
}
