// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"time"
)

// watch ends the query in the engine when its client goes away or the process stops. It is for statements that change
// nothing; others run to their end. The caller must call the returned function when the query has ended.
func (q *query) watch() (ended func()) {
	ctx, cancel := context.WithCancel(q.gone)
	unlink := context.AfterFunc(q.server.stopping, cancel)
	over, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		select {
		case <-over:
		case <-ctx.Done():
			q.killUntil(over)
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
func (q *query) killUntil(over <-chan struct{}) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		if err := q.kill(); err != nil {
			q.server.Log.Warn("could not end a query", "request", q.id, "error", err)
		}
		select {
		case <-over:
			return
		case <-tick.C:
		}
	}
}

func (q *query) kill() error {
	conn, err := q.server.Engine.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Exec("KILL QUERY WHERE Settings['log_comment'] = " + quote(q.req.settings["log_comment"], '\'') + " ASYNC")
}

// aborted reports whether the client has gone or the process is stopping.
func (q *query) aborted() bool {
	return q.gone.Err() != nil || q.server.stopping.Err() != nil
}
