// SPDX-License-Identifier: Apache-2.0

package chdb

// Stream is a running SELECT whose answer comes in chunks, each a separate document of the format.
type Stream struct {
	conn *Conn
	h    handle
	done bool
}

// Stream starts a SELECT. Only SELECT and WITH statements can be streamed.
func (c *Conn) Stream(sql, format string, params map[string]string) (*Stream, error) {
	s := newStatement(sql, format, params)
	defer s.release()
	h := c.lib.streamQuery(c.h, s.sql, s.sqlLen, s.format, s.formatLen, s.names, s.nameLens, s.values, s.valueLens, s.count)
	if text := c.lib.resultError(h); text != "" {
		c.lib.destroyResult(h)
		return nil, parseError(text)
	}
	return &Stream{conn: c, h: h}, nil
}

// Next waits for the next chunk and returns nil at the end. The caller closes each chunk.
func (s *Stream) Next() (*Result, error) {
	if s.done {
		return nil, nil
	}
	chunk, err := s.conn.lib.result(s.conn.lib.streamFetch(s.conn.h, s.h))
	if err != nil {
		return nil, err
	}
	if s.conn.lib.resultLength(chunk.h) == 0 {
		s.done = true
		chunk.Close()
		return nil, nil
	}
	return chunk, nil
}

// Close stops the query if it is still running.
func (s *Stream) Close() {
	if !s.done {
		s.conn.lib.streamCancel(s.conn.h, s.h)
	}
	s.conn.lib.destroyResult(s.h)
	if !s.done {
		// A stream that was killed just before stays in the engine's list of queries, with its memory, until its
		// connection runs another statement.
		_ = s.conn.Exec("SELECT 1")
	}
}
