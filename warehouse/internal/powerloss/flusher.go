// SPDX-License-Identifier: Apache-2.0

// Package powerloss makes what was answered survive a power loss.
//
// The engine flushes an INSERT's data parts before it answers, if its configuration states that
// (datadir.Dir.WriteConfig). It flushes neither its deduplication logs nor the folder in which a data part gets its final
// name, and of a new table only some files. This package does.
package powerloss

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// settled is the age from which a folder's time of change identifies its state: some file systems count in milliseconds.
const settled = time.Second

// Flusher flushes one data directory. A nil Flusher does nothing.
type Flusher struct {
	dir string

	mu sync.Mutex
	// flushed are the times of change of the tables' folders, as of their last flush.
	flushed map[string]time.Time
}

// New returns the flusher of a data directory.
func New(dir string) *Flusher { return &Flusher{dir: dir, flushed: map[string]time.Time{}} }

// Inserted flushes the tables that have changed since its last call. Without the folder's flush a stored block could be
// lost. The logs are flushed too, for file systems where they are not synchronous.
func (f *Flusher) Inserted() error {
	if f == nil {
		return nil
	}
	// A second INSERT waits, and finds its tables flushed by the first one.
	f.mu.Lock()
	defer f.mu.Unlock()
	tables, err := filepath.Glob(filepath.Join(f.dir, "store", "*", "*"))
	if err != nil {
		return fmt.Errorf("list tables: %w", err)
	}
	for _, table := range tables {
		if err := f.table(table); err != nil {
			return fmt.Errorf("flush %s: %w", table, err)
		}
	}
	return nil
}

// table flushes a table's folder if it has changed: each new data part changes it, after its line in the log.
func (f *Flusher) table(folder string) error {
	info, err := os.Stat(folder)
	if errors.Is(err, fs.ErrNotExist) { // dropped
		return nil
	}
	if err != nil {
		return err
	}
	changed := info.ModTime()
	if f.flushed[folder].Equal(changed) && time.Since(changed) > settled {
		return nil
	}
	logs, err := filepath.Glob(filepath.Join(folder, "deduplication_logs", "*.txt"))
	if err != nil {
		return err
	}
	for _, path := range append(logs, filepath.Join(folder, "deduplication_logs"), folder) {
		if err := flush(path, unix.Fsync); err != nil {
			return err
		}
	}
	f.flushed[folder] = changed
	return nil
}

// flush opens the file or folder and flushes it. One that does not exist needs no flush.
func flush(path string, call func(int) error) error {
	file, err := os.Open(path) //nolint:gosec // found by listing the data directory
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	return call(int(file.Fd())) //nolint:gosec // a descriptor
}

// Changed flushes the directory's whole file system, after a statement that may have created or changed tables. Such
// statements are rare, and which files they touch is the engine's affair.
func (f *Flusher) Changed() error {
	if f == nil {
		return nil
	}
	if err := Synchronous(f.dir, true); err != nil {
		return err
	}
	if err := flush(f.dir, unix.Syncfs); err != nil {
		return fmt.Errorf("flush the file system of %s: %w", f.dir, err)
	}
	return nil
}
