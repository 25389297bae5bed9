// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/sqltext"
)

// document has the engine write one document into a pipe. The engine writes the document to a proper end
// even when the query fails, and reports the failure after that. So the last piece is held until the query has succeeded.
func (q *query) document(text, format string, parsed sqltext.Statement, out *answer) error {
	p, err := openPipe(q.server.AnswerDir, q.id)
	if err != nil {
		return err
	}
	defer p.close()
	sql := parsed.IntoFile(text, quote(p.path, '\''), format)
	ended := q.watch()
	defer ended()
	var stats chdb.Stats
	var queryErr error
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer p.writerEnded()
		var result *chdb.Result
		if result, queryErr = q.conn.Query(sql, format, q.req.params); queryErr == nil {
			stats = result.Stats()
			result.Close()
		}
	}()
	last, sendErr := out.relay(p.read, q.giveUp)
	<-done
	// When sending failed, the engine's error is only the cancellation that followed.
	if err := cmp.Or(sendErr, queryErr); err != nil {
		return err
	}
	return out.write(last, stats)
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

// setPipeSize is Linux's F_SETPIPE_SZ, which package syscall does not name.
const setPipeSize = 1031

// pipe is a named pipe that the engine writes an answer into as INTO OUTFILE. No other way writes a format with a head
// and a tail as one document without holding the whole of it.
type pipe struct {
	path string
	read *os.File
	// keep is our own writing end: without it a read would find the end before the engine's first byte.
	keep *os.File
}

// openPipe creates a pipe in a directory. Its name exists until close.
func openPipe(dir string, id uint64) (*pipe, error) {
	p := &pipe{path: filepath.Join(dir, fmt.Sprintf("answer-%d", id))}
	if err := syscall.Mkfifo(p.path, 0o600); err != nil {
		return nil, fmt.Errorf("make a pipe for the answer: %w", err)
	}
	var err error
	if p.read, err = os.OpenFile(p.path, os.O_RDONLY|syscall.O_NONBLOCK, 0); err == nil {
		p.keep, err = os.OpenFile(p.path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
	}
	if err != nil {
		p.close()
		return nil, fmt.Errorf("open a pipe for the answer: %w", err)
	}
	// A larger pipe saves switches between the engine and us; if the kernel refuses it, the small one works too.
	if raw, err := p.read.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _, _ = syscall.Syscall(syscall.SYS_FCNTL, fd, setPipeSize, 1<<20) })
	}
	return p, nil
}

// writerEnded must be called when the engine has closed its end: a read then finds the end after the last byte.
func (p *pipe) writerEnded() { _ = p.keep.Close() }

func (p *pipe) close() {
	for _, file := range []*os.File{p.read, p.keep} {
		if file != nil {
			_ = file.Close()
		}
	}
	_ = os.Remove(p.path)
}
