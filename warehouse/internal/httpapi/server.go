// SPDX-License-Identifier: Apache-2.0

// Package httpapi speaks ClickHouse's HTTP interface over an embedded engine.
package httpapi

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"tailrace.dev/warehouse/internal/chdb"
)

// Server is the HTTP handler of one engine and its one user.
type Server struct {
	engine      *chdb.Engine
	credentials credentials
	sessions    *sessions
	log         *slog.Logger
	hostname    string
	requests    atomic.Uint64
	// stopping ends when the process shuts down; running SELECTs end with it, INSERTs do not.
	stopping context.Context
	stop     context.CancelFunc
}

// Config is what a Server needs to know.
type Config struct {
	Engine         *chdb.Engine
	User, Password string
	Log            *slog.Logger
	Hostname       string // told to clients as the server's display name
}

// New makes the handler.
func New(c Config) *Server {
	stopping, stop := context.WithCancel(context.Background())
	return &Server{
		engine: c.Engine, credentials: newCredentials(c.User, c.Password), log: c.Log, hostname: c.Hostname,
		sessions: newSessions(c.Engine), stopping: stopping, stop: stop,
	}
}

// Interrupt ends running SELECTs. INSERTs run to their end.
func (s *Server) Interrupt() { s.stop() }

// Close frees the sessions. No request may be running.
func (s *Server) Close() { s.sessions.close() }

// ServeHTTP answers /ping to everyone and queries to the user.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	switch {
	case r.URL.Path == "/ping":
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
}

// answer runs one request and gives its error, which the client has been told already.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, id uint64) error {
	q, err := newQuery(s, w, r, id)
	if err == nil {
		defer q.close()
		err = q.run()
		if err == nil {
			return nil
		}
		// A client still sending its data reads the answer only when it is through.
		_, _ = io.CopyN(io.Discard, r.Body, drainLimit)
	}
	s.writeError(w, err)
	return err
}

// drainLimit bounds what is read of a refused request's body, bytes.
const drainLimit = 64 << 20
