// SPDX-License-Identifier: Apache-2.0

package chdb

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
)

// Engine is the one ClickHouse engine of this process, on one data directory.
// Its methods may be called from many goroutines.
type Engine struct {
	lib  *library
	argv []string
	// keeper stays open as long as the engine: closing the last connection shuts the engine down.
	keeper  *Conn
	version string
}

// Options are the arguments of Open.
type Options struct {
	Library string // path of libchdb.so
	DataDir string // existing directory; the caller locks it against other processes
	Config  string // ClickHouse server configuration file
	// Settings are the query settings that every new connection starts with.
	Settings map[string]string
}

// Open loads the library and starts the engine.
func Open(o Options) (*Engine, error) {
	lib, err := load(o.Library)
	if err != nil {
		return nil, err
	}
	// The Go runtime needs its own signal handlers.
	lib.SetSignalHandlers(0)
	e := &Engine{lib: lib, argv: []string{"chdb", "--path=" + o.DataDir, "--config-file=" + o.Config}}
	for name, value := range o.Settings {
		e.argv = append(e.argv, "--"+name+"="+value)
	}
	output, err := captureStderr(o.DataDir, func() error {
		var err error
		e.keeper, err = e.Connect()
		return err
	})
	if err != nil {
		if reason := strings.Join(strings.Fields(output), " "); reason != "" {
			err = parseError(reason)
		}
		return nil, fmt.Errorf("the engine does not start on %s: %w", o.DataDir, err)
	}
	_, _ = os.Stderr.WriteString(output)
	if e.version, err = e.keeper.text("SELECT version()"); err != nil {
		e.Close()
		return nil, fmt.Errorf("ask engine version: %w", err)
	}
	return e, nil
}

// Version is the ClickHouse version, such as 26.7.2.1.
func (e *Engine) Version() string { return e.version }

// Connect opens a connection with its own settings, temporary tables and current database.
// Opening and closing one takes well under a millisecond, so each request opens one.
func (e *Engine) Connect() (*Conn, error) {
	var pin runtime.Pinner
	defer pin.Unpin()
	argv := make([]*byte, len(e.argv)+1) // ends with NULL, as C requires
	for i, arg := range e.argv {
		text := append([]byte(arg), 0)
		pin.Pin(&text[0])
		argv[i] = &text[0]
	}
	pin.Pin(&argv[0])
	ptr := e.lib.Connect(int32(len(e.argv)), &argv[0]) //nolint:gosec // a dozen
	if ptr == nil {
		return nil, errors.New("the engine refused the connection without a reason")
	}
	return &Conn{lib: e.lib, ptr: ptr, h: *ptr}, nil
}

// Close ends the engine. All other connections must be closed already.
func (e *Engine) Close() {
	if e.keeper != nil {
		e.keeper.Close()
		e.keeper = nil
	}
}

// captureStderr runs f and returns what was written to standard error meanwhile: the only place where the engine reports
// why it does not start. Nothing else may write there. The text goes through a file without a name in dir.
func captureStderr(dir string, f func() error) (string, error) {
	file, err := os.CreateTemp(dir, "stderr-*")
	if err != nil {
		return "", fmt.Errorf("start engine: %w", err)
	}
	defer func() { _ = file.Close() }()
	if err := os.Remove(file.Name()); err != nil {
		return "", fmt.Errorf("start engine: %w", err)
	}
	const stderr = 2
	old, err := syscall.Dup(stderr)
	if err != nil {
		return "", fmt.Errorf("start engine: %w", err)
	}
	defer func() { _ = syscall.Close(old) }()
	if err := syscall.Dup3(int(file.Fd()), stderr, 0); err != nil { //nolint:gosec // a descriptor
		return "", fmt.Errorf("start engine: %w", err)
	}
	failed := f()
	_ = syscall.Dup3(old, stderr, 0)
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return "", failed
	}
	text, _ := io.ReadAll(io.LimitReader(file, 64<<10))
	return string(text), failed
}
