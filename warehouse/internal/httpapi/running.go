// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"sync"

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
