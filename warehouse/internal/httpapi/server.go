// SPDX-License-Identifier: Apache-2.0

// Package httpapi speaks ClickHouse's HTTP interface over an embedded engine.
package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/sqltext"
	"tailrace.dev/warehouse/internal/users"
)

// Server is the HTTP handler of one engine and its users.
type Server struct {
	engine    *chdb.Engine
	users     users.List
	sessions  *sessions
	running   *running
	queries   *queryLog
	log       *slog.Logger
	hostname  string
	spoolDir  string
	maxAnswer int64
	requests  atomic.Uint64
	// stopping ends when the process shuts down; running SELECTs end with it, INSERTs do not.
	stopping context.Context
	stop     context.CancelFunc
}

// Config is what a Server needs to know.
type Config struct {
	Engine    *chdb.Engine
	Users     users.List
	Log       *slog.Logger
	Hostname  string // told to clients as the server's display name
	SpoolDir  string // empty directory for answers under way
	MaxAnswer int64  // most bytes of an answer that is kept back until its query has ended
}

// New makes the handler.
func New(c Config) (*Server, error) {
	queries, err := startQueryLog(c.Engine, c.Log)
	if err != nil {
		return nil, err
	}
	stopping, stop := context.WithCancel(context.Background())
	return &Server{
		engine: c.Engine, users: c.Users, log: c.Log, hostname: c.Hostname, spoolDir: c.SpoolDir, maxAnswer: c.MaxAnswer,
		sessions: newSessions(c.Engine), running: &running{ids: map[string]bool{}}, queries: queries,
		stopping: stopping, stop: stop,
	}, nil
}

// Interrupt ends running SELECTs. INSERTs run to their end.
func (s *Server) Interrupt() { s.stop() }

// Close frees the sessions and completes the query log. No request may be running.
func (s *Server) Close() {
	s.sessions.close()
	s.queries.close()
}

// ServeHTTP answers /ping to everyone and queries to the users.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch {
	// A server takes GET / without a question mark for a health check too.
	case r.URL.Path == "/ping", r.URL.Path == "/" && r.Method == http.MethodGet && r.URL.RawQuery == "" && !r.URL.ForceQuery:
		w.Header().Set("Content-Type", plainText)
		_, _ = io.WriteString(w, "Ok.\n")
		return
	case strings.Trim(r.URL.Path, "/") != "" && r.URL.Path != "/query":
		http.Error(w, fmt.Sprintf("There is no handle %s. Send queries to / and health checks to /ping.", r.URL.Path), http.StatusNotFound)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
		http.Error(w, "Send queries with GET or POST.", http.StatusMethodNotAllowed)
		return
	}

	started := time.Now()
	id := s.requests.Add(1)
	err := s.answer(w, r, id)
	level, code := slog.LevelDebug, 0
	if err != nil {
		e := asEngineError(err)
		level, code = slog.LevelInfo, e.Code
		s.log.Debug("query failed", "request", id, "error", e.Message)
	}
	// The text of a query may hold secrets, and an error's text repeats the query: only the code is logged.
	s.log.Log(r.Context(), level, "query", "request", id, "method", r.Method, "code", code, "took", time.Since(started))
	if _, broken := errors.AsType[*brokenOff](err); broken {
		// The connection ends without the end of the body: no client can take the answer for complete.
		panic(http.ErrAbortHandler)
	}
}

// answer runs one request and gives its error, which the client has been told already.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, id uint64) error {
	q, err := newQuery(s, w, r, id)
	if err == nil {
		defer q.close()
		err = q.run()
		s.record(q, err)
		if _, broken := errors.AsType[*brokenOff](err); broken || err == nil {
			return err
		}
		// A client still sending its data reads the answer only when it is through.
		_, _ = io.CopyN(io.Discard, r.Body, drainLimit)
	}
	s.writeError(w, err)
	return err
}

// record puts a request into the query log unless its client asked for none.
func (s *Server) record(q *query, err error) {
	if off, named := q.req.settings["log_queries"]; named && off == "0" {
		return
	}
	now := time.Now()
	e := logEntry{
		Time: moment(now), Type: "QueryFinish", Start: moment(q.begun), DurationMS: now.Sub(q.begun).Milliseconds(),
		QueryID: q.queryID, User: q.user.Name, Address: q.r.RemoteAddr, Method: q.r.Method, Agent: q.r.UserAgent(),
		Database: q.req.database, Kind: sqltext.Kind(q.text), Query: q.text, Comment: q.comment, stats: stats(q.stats),
	}
	if err != nil {
		failed := asEngineError(err)
		e.Type, e.Code, e.Exception = "ExceptionWhileProcessing", failed.Code, failed.Error()
	}
	s.queries.add(e)
}

// drainLimit bounds what is read of a refused request's body, bytes.
const drainLimit = 64 << 20
