// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"fmt"
	"io"
	"os"
)

// inMemory is how much of an answer stays in memory before it goes to a file, bytes.
const inMemory = 1 << 20

// spool holds an answer until its query has ended: a short one in memory, a longer one in a file without a name, which
// disappears with the process.
type spool struct {
	dir   string
	limit int64 // largest size, bytes
	size  int64
	head  bytes.Buffer
	file  *os.File
}

func (s *spool) Write(data []byte) (int, error) {
	if s.size+int64(len(data)) > s.limit {
		return 0, failure(396, "TOO_MANY_ROWS_OR_BYTES",
			"The answer is larger than %d bytes, the most that is kept back until a query ends. Ask without wait_end_of_query, or for fewer rows.", s.limit)
	}
	s.size += int64(len(data))
	if s.file == nil && s.head.Len()+len(data) <= inMemory {
		return s.head.Write(data)
	}
	if s.file == nil {
		file, err := os.CreateTemp(s.dir, "answer-*")
		if err != nil {
			return 0, fmt.Errorf("keep the answer: %w", err)
		}
		s.file = file
		if err := os.Remove(file.Name()); err != nil { //nolint:gosec // created above
			return 0, fmt.Errorf("keep the answer: %w", err)
		}
	}
	n, err := s.file.Write(data)
	if err != nil {
		return n, fmt.Errorf("keep the answer: %w", err)
	}
	return n, nil
}

func (s *spool) writeTo(w io.Writer) error {
	if _, err := w.Write(s.head.Bytes()); err != nil {
		return err
	}
	if s.file == nil {
		return nil
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, s.file, make([]byte, inMemory))
	return err
}

func (s *spool) close() {
	if s.file != nil {
		_ = s.file.Close()
	}
}
