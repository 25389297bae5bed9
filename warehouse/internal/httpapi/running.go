// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"sync"

	"github.com/google/uuid"
)

// mostQueries is how many requests run at a time; one more is refused, as on a server.
const mostQueries = 200

// running knows the ids of the queries under way. The engine lets nobody choose one.
type running struct {
	mu  sync.Mutex
	ids map[string]bool
}

// add takes the id that the client chose, or makes one.
func (r *running) add(id string) (string, error) {
	if id == "" {
		id = uuid.NewString()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.ids[id]:
		return "", failure(codeSameID, "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING", "Query with id = %s is already running", id)
	case len(r.ids) >= mostQueries:
		return "", failure(codeTooMany, "TOO_MANY_SIMULTANEOUS_QUERIES", "Too many simultaneous queries. Maximum: %d", mostQueries)
	}
	r.ids[id] = true
	return id, nil
}

func (r *running) remove(id string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.ids, id)
}

// mark is what finds a query again among the engine's: the end of its log_comment.
func mark(comment, id, user string) string {
	if comment != "" {
		comment += " "
	}
	return comment + "[query_id=" + id + " user=" + user + "]"
}

// marked reads query_id and user of system.processes out of the mark.
var marked = map[string]string{
	"query_id": `extract(Settings['log_comment'], '\\[query_id=(.*) user=[^ ]*\\]$')`,
	"user":     `extract(Settings['log_comment'], ' user=([^ ]*)\\]$')`,
}
