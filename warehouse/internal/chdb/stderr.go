// SPDX-License-Identifier: Apache-2.0

package chdb

import (
	"fmt"
	"io"
	"os"
	"syscall"
)

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
