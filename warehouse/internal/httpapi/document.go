// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"cmp"
	"errors"
	"io"

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/sqltext"
)

// document has the engine write one document into a pipe. The engine writes the document to a proper end
// even when the query fails, and reports the failure after that. So the last piece is held until the query has succeeded.
func (q *query) document(text, format string, parsed sqltext.Statement, out *answer) error {
	p, err := openPipe(q.server.SpoolDir, q.id)
	if err != nil {
		return err
	}
	defer p.close()
	sql := parsed.IntoFile(text, quote(p.path, '\''), format)
	ended := q.watch()
	defer ended()
	type outcome struct {
		stats chdb.Stats
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		defer p.writerEnded()
		result, err := q.conn.Query(sql, format, q.req.params)
		if err != nil {
			done <- outcome{err: err}
			return
		}
		done <- outcome{stats: result.Stats()}
		result.Close()
	}()
	last, sendErr := out.relay(p.read, q.giveUp)
	result := <-done
	// When sending failed, the engine's error is only the cancellation that followed.
	if err := cmp.Or(sendErr, result.err); err != nil {
		return err
	}
	return out.write(last, result.stats)
}

// relay sends what it reads, except for the last piece, which it returns. When sending fails it gives the query up
// and reads on: the engine must never wait for a reader that has gone.
func (a *answer) relay(r io.Reader, giveUp func()) (last []byte, err error) {
	held, next := pieces.Get().(*[]byte), pieces.Get().(*[]byte)
	defer func() {
		pieces.Put(held)
		pieces.Put(next)
	}()
	size := 0
	for {
		n, readErr := r.Read(*next)
		if n > 0 {
			if size > 0 && err == nil {
				if err = a.write((*held)[:size], chdb.Stats{}); err != nil {
					giveUp()
				}
			}
			held, next, size = next, held, n
		}
		if readErr == nil {
			continue
		}
		if readErr != io.EOF {
			err = errors.Join(err, readErr)
		}
		return append([]byte(nil), (*held)[:size]...), err
	}
}
