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
	h := c.start(c.lib.StreamQuery, sql, format, params)
	if text := c.lib.ResultError(h); text != "" {
		c.lib.DestroyResult(h)
		return nil, parseError(text)
	}
	return &Stream{conn: c, h: h}, nil
}

// Next waits for the next chunk and returns nil at the end. The caller closes each chunk.
func (s *Stream) Next() (*Result, error) {
	if s.done {
		return nil, nil
	}
	chunk, err := s.conn.lib.result(s.conn.lib.StreamFetch(s.conn.h, s.h))
	if err != nil {
		return nil, err
	}
	if s.conn.lib.ResultLength(chunk.h) == 0 {
		s.done = true
		chunk.Close()
		return nil, nil
	}
	return chunk, nil
}

// Close stops the query if it is still running.
func (s *Stream) Close() {
	if !s.done {
		s.conn.lib.StreamCancel(s.conn.h, s.h)
	}
	s.conn.lib.DestroyResult(s.h)
	if !s.done {
		// A stream that was killed just before stays in the engine's list of queries, with its memory, until its
		// connection runs another statement.
		_ = s.conn.Exec("SELECT 1")
	}
}
