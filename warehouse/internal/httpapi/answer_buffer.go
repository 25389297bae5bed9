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

// answerBuffer holds an answer until its query has ended: a short one in memory, a longer one in a file without a
// name, which disappears with the process.
type answerBuffer struct {
	dir   string
	limit int64 // largest size, bytes
	size  int64
	head  bytes.Buffer
	file  *os.File
}

func (b *answerBuffer) Write(data []byte) (int, error) {
	if b.size+int64(len(data)) > b.limit {
		return 0, failure(396, "TOO_MANY_ROWS_OR_BYTES",
			"The answer is larger than %d bytes, the most that is kept back until a query ends. Ask without wait_end_of_query, or for fewer rows.", b.limit)
	}
	b.size += int64(len(data))
	if b.file == nil && b.head.Len()+len(data) <= inMemory {
		return b.head.Write(data)
	}
	if b.file == nil {
		file, err := os.CreateTemp(b.dir, "answer-*")
		if err != nil {
			return 0, fmt.Errorf("keep the answer: %w", err)
		}
		b.file = file
		if err := os.Remove(file.Name()); err != nil { //nolint:gosec // created above
			return 0, fmt.Errorf("keep the answer: %w", err)
		}
	}
	n, err := b.file.Write(data)
	if err != nil {
		return n, fmt.Errorf("keep the answer: %w", err)
	}
	return n, nil
}

func (b *answerBuffer) writeTo(w io.Writer) error {
	if _, err := w.Write(b.head.Bytes()); err != nil {
		return err
	}
	if b.file == nil {
		return nil
	}
	if _, err := b.file.Seek(0, io.SeekStart); err != nil {
		return err
	}
	_, err := io.CopyBuffer(struct{ io.Writer }{w}, b.file, make([]byte, inMemory))
	return err
}

func (b *answerBuffer) close() {
	if b.file != nil {
		_ = b.file.Close()
	}
}
