// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"tailrace.dev/warehouse/internal/chdb"
)

// query is one request while it runs.
type query struct {
	server *Server
	id     uint64
	req    *request
	w      http.ResponseWriter
	r      *http.Request
	begun  time.Time
	gone   context.Context    // ends when the client has gone
	giveUp context.CancelFunc // ends the query as if its client had gone
	conn   *connection
	body   io.Reader  // the request's body, decoded
	text   string     // the statement, for the query log
	stats  chdb.Stats // what the statement did, for the query log
	// closers run in reverse order at the end.
	closers []func()
}

// serveQuery runs one request, logs it, and breaks the connection off when the answer is incomplete.
func (s *Server) serveQuery(w http.ResponseWriter, r *http.Request) {
	started := time.Now()
	id := s.requests.Add(1)
	err := s.runQuery(w, r, id)
	level, code := slog.LevelDebug, 0
	if err != nil {
		e := asEngineError(err)
		level, code = slog.LevelInfo, e.Code
		s.Log.Debug("query failed", "request", id, "error", e.Message)
	}
	// A query's text may hold secrets, and an error's text repeats the query: only the code is logged.
	s.Log.Log(r.Context(), level, "query", "request", id, "method", r.Method, "code", code, "took", time.Since(started))
	if _, broken := errors.AsType[*brokenOff](err); broken {
		// The connection ends without the end of the body, so no client can take the answer for complete.
		panic(http.ErrAbortHandler)
	}
}

// runQuery returns the request's error, which the client has already received.
func (s *Server) runQuery(w http.ResponseWriter, r *http.Request, id uint64) error {
	req, err := s.readRequest(r)
	if err != nil {
		s.writeError(w, err)
		return err
	}
	q := &query{server: s, id: id, req: req, w: w, r: r, begun: time.Now()}
	defer q.close()
	if err = q.open(); err == nil {
		err = q.run()
		s.record(q, err)
		if _, broken := errors.AsType[*brokenOff](err); broken || err == nil {
			return err
		}
		// A client that is still sending its data reads the answer only after that.
		_, _ = io.CopyN(io.Discard, r.Body, drainLimit)
	}
	s.writeError(w, err)
	return err
}

// drainLimit bounds what is read of a refused request's body, bytes.
const drainLimit = 64 << 20

// open prepares a connection with the request's settings and database, and the request's decoded body.
func (q *query) open() (err error) {
	s, req := q.server, q.req
	if req.queryID, err = s.running.add(req.queryID); err != nil {
		return err
	}
	q.closers = append(q.closers, func() { s.running.remove(req.queryID) })
	req.settings["log_comment"] = mark(req.comment, req.queryID, req.user.Name)
	q.gone, q.giveUp = context.WithCancel(q.r.Context()) //nolint:gosec // the closers call giveUp
	q.closers = append(q.closers, q.giveUp)
	if q.conn, err = s.connect(req); err != nil {
		return err
	}
	q.closers = append(q.closers, q.conn.close)
	body, done, err := decode(req.body, q.r.Header.Get("Content-Encoding"), req.decompress)
	if err != nil {
		return err
	}
	q.body = body
	q.closers = append(q.closers, done)
	return nil
}

func (q *query) close() {
	for _, closer := range slices.Backward(q.closers) {
		closer()
	}
}
