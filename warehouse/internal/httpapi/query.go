// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/sqltext"
)

// maxStatement is the longest statement without its data, bytes.
const maxStatement = 4 << 20

// headSize is how far into a request's text an INSERT's data must begin: ClickHouse's max_query_size.
const headSize = 256 << 10

// query is one request on its way through the engine.
type query struct {
	server  *Server
	w       http.ResponseWriter
	r       *http.Request
	req     *request
	id      uint64
	conn    *chdb.Conn
	session *session
	body    io.Reader
	// closers run in reverse order at the end.
	closers []func()
}

// newQuery checks the user and readies a connection with the request's settings and database.
func newQuery(s *Server, w http.ResponseWriter, r *http.Request, id uint64) (*query, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badArguments("the URL's parameters are not readable: %v", err)
	}
	if err := s.credentials.authenticate(r, values); err != nil {
		return nil, err
	}
	req, err := parseRequest(r, values)
	if err != nil {
		return nil, err
	}
	q := &query{server: s, w: w, r: r, req: req, id: id}
	// The engine lets nobody choose a query id; the comment finds the query again to end it.
	req.settings["log_comment"] = strings.TrimSpace(fmt.Sprintf("%s (request %d)", req.settings["log_comment"], id))
	if err := q.prepare(); err != nil {
		q.close()
		return nil, err
	}
	return q, nil
}

func (q *query) prepare() error {
	if err := q.connect(); err != nil {
		return err
	}
	if q.req.database != "" && (q.session != nil || q.req.database != freshDatabase) {
		if err := q.conn.Exec("USE " + quote(q.req.database, '`')); err != nil {
			return err
		}
	}
	if q.session != nil {
		if err := q.applySettings(); err != nil {
			return err
		}
	}
	body, done, err := decode(q.req.body, q.r.Header.Get("Content-Encoding"), q.req.decompress)
	if err != nil {
		return err
	}
	q.body = body
	q.closers = append(q.closers, done)
	return nil
}

func (q *query) connect() error {
	if q.req.session.id != "" {
		s, err := q.server.sessions.acquire(q.req.session)
		if err != nil {
			return err
		}
		q.session, q.conn = s, s.conn
		q.closers = append(q.closers, func() { q.server.sessions.release(q.req.session, s) })
		return nil
	}
	conn, err := q.server.engine.Connect()
	if err != nil {
		return fmt.Errorf("connect to the engine: %w", err)
	}
	q.conn = conn
	q.closers = append(q.closers, conn.Close)
	return nil
}

// freshDatabase is the current database of a new connection.
const freshDatabase = "default"

// applySettings sets the request's settings on its connection. A session forgets those of the request before.
func (q *query) applySettings() error {
	if q.session != nil {
		for _, name := range q.session.overridden {
			if err := q.conn.Exec("SET " + name + " = DEFAULT"); err != nil {
				return err
			}
		}
		q.session.overridden = nil
	}
	if err := q.conn.Exec(q.req.setStatement()); err != nil {
		return err
	}
	if q.session != nil {
		for name := range q.req.settings {
			q.session.overridden = append(q.session.overridden, name)
		}
	}
	return nil
}

func (q *query) close() {
	for _, closer := range slices.Backward(q.closers) {
		closer()
	}
}

// run finds out what the statement is and hands it to insert or query.
func (q *query) run() error {
	if in, ok := sqltext.ParseInsert(q.req.text); ok {
		if err := q.insertSettings(&in); err != nil {
			return err
		}
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
	if _, err := io.Copy(head, io.LimitReader(q.body, headSize)); err != nil {
		return undecodable(q.r.Header.Get("Content-Encoding"), err)
	}
	if in, ok := sqltext.ParseInsert(head.String()); ok {
		if err := q.insertSettings(&in); err != nil {
			return err
		}
		head.Next(in.DataAt)
		return q.insert(in, io.MultiReader(head, q.body))
	}
	if _, err := io.Copy(head, io.LimitReader(q.body, maxStatement+1)); err != nil {
		return undecodable(q.r.Header.Get("Content-Encoding"), err)
	}
	if head.Len() > maxStatement {
		return tooLong()
	}
	if q.session == nil {
		if err := q.applySettings(); err != nil {
			return err
		}
	}
	return q.query(strings.TrimSpace(head.String()))
}

// insertSettings gives an INSERT the request's settings as a clause of its own: each statement more would cost
// about as much as the insert of some thousand rows.
func (q *query) insertSettings(in *sqltext.Insert) error {
	switch {
	case q.session != nil || in.FromFile:
		return nil
	case in.OwnSettings:
		return q.applySettings()
	}
	in.Text = strings.TrimSpace(in.Text) + " " + q.req.settingsClause()
	return nil
}

func tooLong() error {
	return failure(codeSyntax, "SYNTAX_ERROR", "The statement is longer than %d bytes. Send data in the body of an INSERT … FORMAT.", maxStatement)
}

// watch makes the engine end the query when the client goes away or the process stops. It is for queries
// that change nothing. The function it returns says that the query has ended, and must be called.
func (q *query) watch() func() {
	ctx, cancel := context.WithCancel(q.r.Context())
	unlink := context.AfterFunc(q.server.stopping, cancel)
	ended := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-ended:
			return
		case <-ctx.Done():
		}
		// A query may not be in the engine's list yet: try until it has ended.
		for tick := time.NewTicker(100 * time.Millisecond); ; {
			if err := q.server.kill(q.req.settings["log_comment"]); err != nil {
				q.server.log.Warn("could not end a query", "request", q.id, "error", err)
			}
			select {
			case <-ended:
				tick.Stop()
				return
			case <-tick.C:
			}
		}
	}()
	return func() {
		close(ended)
		<-done
		unlink()
		cancel()
	}
}

func (s *Server) kill(mark string) error {
	conn, err := s.engine.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Exec("KILL QUERY WHERE Settings['log_comment'] = " + quote(mark, '\'') + " ASYNC")
}

// aborted tells that a query ended because somebody wanted it to.
func (q *query) aborted() bool {
	return q.r.Context().Err() != nil || q.server.stopping.Err() != nil
}
