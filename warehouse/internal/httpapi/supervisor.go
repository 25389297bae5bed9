// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"time"
)

// supervisor ends a query in the engine when its client goes away or the process stops.
type supervisor struct {
	server *Server
	id     uint64
	mark   string             // finds the query among the engine's
	gone   context.Context    // ends when the client has gone
	giveUp context.CancelFunc // ends the query as if its client had gone
}

func (s *Server) supervise(client context.Context, id uint64, mark string) *supervisor {
	v := &supervisor{server: s, id: id, mark: mark}
	v.gone, v.giveUp = context.WithCancel(client) //nolint:gosec // the query's closers call giveUp
	return v
}

// watch is for statements that change nothing; others run to their end whatever becomes of their client. The caller
// must call the returned function when the query has ended.
func (v *supervisor) watch() (ended func()) {
	ctx, cancel := context.WithCancel(v.gone)
	unlink := context.AfterFunc(v.server.stopping, cancel)
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-over:
		case <-ctx.Done():
			v.killUntil(over)
		}
	}()
	return func() {
		close(over)
		<-done
		unlink()
		cancel()
	}
}

// killUntil repeats the kill until the query is over: it may not be in the engine's list yet.
func (v *supervisor) killUntil(over <-chan struct{}) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := v.kill(); err != nil {
			v.server.log.Warn("could not end a query", "request", v.id, "error", err)
		}
		select {
		case <-over:
			return
		case <-tick.C:
		}
	}
}

func (v *supervisor) kill() error {
	conn, err := v.server.engine.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Exec("KILL QUERY WHERE Settings['log_comment'] = " + quote(v.mark, '\'') + " ASYNC")
}

// aborted reports whether the client has gone or the process is stopping.
func (v *supervisor) aborted() bool {
	return v.gone.Err() != nil || v.server.stopping.Err() != nil
}
