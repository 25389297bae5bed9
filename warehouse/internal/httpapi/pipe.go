// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

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
