// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"context"
	"sync"
	"time"

	"github.com/google/uuid"
)

// mostQueries is how many requests run at a time; the next one is refused, as on a server.
const mostQueries = 200

// running holds the ids of the running queries. In the engine they have others: it accepts none from outside.
type running struct {
	mu  sync.Mutex
	ids map[string]bool
}

// add registers the id that the client chose, or a new one.
func (r *running) add(id string) (string, error) {
	if id == "" {
		id = uuid.NewString()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.ids[id]:
		return "", failure(216, "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING", "Query with id = %s is already running", id)
	case len(r.ids) >= mostQueries:
		return "", failure(202, "TOO_MANY_SIMULTANEOUS_QUERIES", "Too many simultaneous queries. Maximum: %d", mostQueries)
	}
	r.ids[id] = true
	return id, nil
}

func (r *running) remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.ids, id)
}

// mark returns the log_comment whose end identifies the query among the engine's.
func mark(comment, id, user string) string {
	if comment != "" {
		comment += " "
	}
	return comment + "[query_id=" + id + " user=" + user + "]"
}

// marked reads query_id and user of a row of system.processes from its mark.
var marked = map[string]string{
	"query_id": `extract(Settings['log_comment'], '\\[query_id=(.*) user=[^ ]*\\]$')`,
	"user":     `extract(Settings['log_comment'], ' user=([^ ]*)\\]$')`,
}

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
