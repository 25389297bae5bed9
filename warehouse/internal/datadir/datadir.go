// SPDX-License-Identifier: Apache-2.0

// Package datadir prepares the directory of an engine: a lock for one process, and the configuration.
package datadir

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// ErrInUse means that another process uses the directory.
var ErrInUse = errors.New("is in use by another process")

// Dir is a locked data directory. The operating system releases the lock however the process ends.
type Dir struct {
	Path string // absolute
	lock *os.File
}

// Open creates the directory if it is missing, and locks it.
func Open(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	//nolint:gosec // the operator chooses the directory
	lock, err := os.OpenFile(filepath.Join(path, "warehouse.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("data directory: %w", err)
	}
	d := &Dir{Path: path, lock: lock}
	err = d.take(lock)
	if err == nil {
		err = d.freeOfOtherEngines()
	}
	if err != nil {
		_ = lock.Close()
		return nil, err
	}
	return d, nil
}

func (d *Dir) take(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) //nolint:gosec // a descriptor
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return fmt.Errorf("data directory %s %w", d.Path, ErrInUse)
	}
	if err != nil {
		return fmt.Errorf("lock data directory %s: %w", d.Path, err)
	}
	return nil
}

// freeOfOtherEngines tries the engine's own lock, which another program with the engine may hold.
func (d *Dir) freeOfOtherEngines() error {
	status, err := os.Open(filepath.Join(d.Path, "status"))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("data directory: %w", err)
	}
	defer func() { _ = status.Close() }()
	return d.take(status)
}

// Answers empties the folder for answers in progress and returns its path. Its files do not outlive the process.
func (d *Dir) Answers() (string, error) {
	path := filepath.Join(d.Path, "answers")
	if err := os.RemoveAll(path); err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		return "", fmt.Errorf("data directory: %w", err)
	}
	return path, nil
}

// Close releases the lock.
func (d *Dir) Close() error { return d.lock.Close() }
