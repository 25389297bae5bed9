// SPDX-License-Identifier: Apache-2.0

// Package httpapi serves ClickHouse's HTTP interface over an embedded engine.
//
// A request passes the files in this order: server.go (routes), query.go (the request's life), request.go
// (parameters), rights.go (who may do what), running.go (query ids, and how a query is ended), connection.go (the
// engine's side), statement.go (which kind of statement it is), then insert.go, select.go, document.go or command.go,
// and answer.go. logentry.go records it.
package httpapi

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/powerloss"
	"tailrace.dev/warehouse/internal/users"
)

// Server is the HTTP handler of one engine and its users.
type Server struct {
	Config
	sessions *sessions
	running  *running
	queries  *queryLog
	requests atomic.Uint64
	// stopping ends when the process shuts down; running SELECTs end with it, INSERTs do not.
	stopping context.Context
	stop     context.CancelFunc
}

// Config is what a Server needs.
type Config struct {
	Engine    *chdb.Engine
	Users     users.List
	Log       *slog.Logger
	Hostname  string // sent to clients as the server's display name
	AnswerDir string // empty directory for answers in progress
	// Flusher is nil if answered statements need not survive a power loss.
	Flusher   *powerloss.Flusher
	MaxAnswer int64 // largest answer that is held back until its query has ended, bytes
}

// New creates the handler.
func New(c Config) (*Server, error) {
	queries, err := startQueryLog(c.Engine, c.Log)
	if err != nil {
		return nil, err
	}
	stopping, stop := context.WithCancel(context.Background())
	return &Server{
		Config: c, sessions: newSessions(c.Engine), running: &running{ids: map[string]bool{}}, queries: queries,
		stopping: stopping, stop: stop,
	}, nil
}

// Interrupt ends running SELECTs. INSERTs run to their end.
func (s *Server) Interrupt() { s.stop() }

// Close closes the sessions and writes the rest of the query log. No request may be running.
func (s *Server) Close() {
	s.sessions.close()
	s.queries.close()
}

// ServeHTTP answers health checks without a password and runs the users' queries.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch {
	// A ClickHouse server also takes GET / without a question mark for a health check.
	case r.URL.Path == "/ping", r.URL.Path == "/" && r.Method == http.MethodGet && r.URL.RawQuery == "" && !r.URL.ForceQuery:
		w.Header().Set("Content-Type", plainText)
		_, _ = io.WriteString(w, "Ok.\n")
	case strings.Trim(r.URL.Path, "/") != "" && r.URL.Path != "/query":
		http.Error(w, fmt.Sprintf("There is no handle %s. Send queries to / and health checks to /ping.", r.URL.Path), http.StatusNotFound)
	case r.Method != http.MethodGet && r.Method != http.MethodHead && r.Method != http.MethodPost:
		http.Error(w, "Send queries with GET or POST.", http.StatusMethodNotAllowed)
	case !r.ProtoAtLeast(1, 1):
		// HTTP/1.0 has no chunks, so its client could not distinguish a broken answer from a complete one.
		http.Error(w, "Send queries with HTTP/1.1.", http.StatusHTTPVersionNotSupported)
	default:
		s.serveQuery(w, r)
	}
}
