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
	"tailrace.dev/warehouse/internal/users"
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
	user    *users.User
	queryID string
	conn    *chdb.Conn
	session *session
	body    io.Reader
	begun   time.Time
	text    string // the statement, for the query log
	comment string // the client's own log_comment
	stats   chdb.Stats
	giveUp  context.CancelFunc // ends the query as if its client had gone
	gone    context.Context
	// closers run in reverse order at the end.
	closers []func()
}

// newQuery checks the user and readies a connection with the request's settings and database.
func newQuery(s *Server, w http.ResponseWriter, r *http.Request, id uint64) (*query, error) {
	values, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return nil, badArguments("the URL's parameters are not readable: %v", err)
	}
	user, err := authenticate(s.users, r, values)
	if err != nil {
		return nil, err
	}
	req, err := parseRequest(r, values)
	if err != nil {
		return nil, err
	}
	if err := limit(user, req.settings); err != nil {
		return nil, err
	}
	q := &query{server: s, w: w, r: r, req: req, id: id, user: user, begun: time.Now()}
	q.gone, q.giveUp = context.WithCancel(r.Context())
	q.closers = append(q.closers, q.giveUp)
	if q.queryID, err = s.running.add(req.queryID); err != nil {
		q.close()
		return nil, err
	}
	q.closers = append(q.closers, func() { s.running.remove(q.queryID) })
	req.session.id = user.Name + " " + req.session.name
	q.comment = req.settings["log_comment"]
	req.settings["log_comment"] = mark(q.comment, q.queryID, user.Name)
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
	if q.req.session.name != "" {
		s, err := q.server.sessions.acquire(q.req.session)
		if err != nil {
			return err
		}
		q.session, q.conn = s, s.conn
		q.closers = append(q.closers, func() { q.server.sessions.release(q.req.session, s, q.req.closeSession) })
		// A reader's session has nothing to remember, and its connection cannot be made writable again.
		if !q.user.ReadOnly {
			return nil
		}
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
	keeps := q.session != nil && q.conn == q.session.conn
	if keeps {
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
	if keeps {
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
		rest := strings.TrimSpace(q.req.text[min(in.DataAt, len(q.req.text)):])
		data := q.body
		if rest != "" {
			data = io.MultiReader(strings.NewReader(rest+"\n"), data)
		}
		q.text = in.Text
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
		q.text = in.Text
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
	q.text = strings.TrimSpace(head.String())
	return q.query(q.text)
}

// insertSettings gives an INSERT the request's settings as a clause of its own: each statement more would cost
// about as much as the insert of some thousand rows.
func (q *query) insertSettings(in *sqltext.Insert) error {
	switch {
	case q.session != nil:
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
	ctx, cancel := context.WithCancel(q.gone)
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
	return q.gone.Err() != nil || q.server.stopping.Err() != nil
}
