// SPDX-License-Identifier: Apache-2.0

package httpapi

import "tailrace.dev/warehouse/internal/sqltext"

// maxWhole bounds an answer that is held in memory, bytes of columns in the engine.
const maxWhole = "268435456"

// command runs a statement that is neither a SELECT nor an INSERT with data: SHOW, CREATE, ALTER, KILL and the like.
// One that writes runs to its end whatever becomes of its client.
func (q *query) command(text, format string, parsed sqltext.Statement, out *answer, reads bool) error {
	if parsed.FlushLogs {
		q.server.queries.flush()
	}
	if parsed.Kill {
		text = sqltext.Replace(text, marked)
	}
	if _, set := q.req.settings["max_result_bytes"]; !set {
		q.req.settings["max_result_bytes"] = maxWhole
		if err := q.conn.applySettings(); err != nil {
			return err
		}
	}
	if err := q.conn.lockDown(); err != nil {
		return err
	}
	ended := func() {}
	if reads {
		ended = q.watch()
	}
	result, err := q.conn.Query(text, format, q.req.params)
	ended()
	if err != nil {
		return err
	}
	defer result.Close()
	if !reads {
		if err := q.server.Flusher.Changed(); err != nil {
			return notFlushed(err)
		}
	}
	return out.write(result.Bytes(), result.Stats())
}
