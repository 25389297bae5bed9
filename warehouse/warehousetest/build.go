// SPDX-License-Identifier: Apache-2.0

// Package warehousetest starts the real tailrace-warehouse program for tests.
package warehousetest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// program and library are the paths that Main sets and Start uses.
var program, library string

// Main builds the program, runs the package's tests and cleans up. Call it from TestMain:
//
//	func TestMain(m *testing.M) { os.Exit(warehousetest.Main(m)) }
func Main(m *testing.M) int {
	dir, err := os.MkdirTemp("", "tailrace-warehouse-test")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "tailrace-warehouse")
	if library, err = findLibrary(); err == nil {
		err = build()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// build compiles the program, with the race detector if the test has it.
func build() error {
	args := []string{"build", "-buildvcs=false", "-o", program}
	if raceEnabled {
		args = append(args, "-race")
	}
	list := exec.CommandContext(context.Background(), "go", "list", "-m", "-f", "{{.Dir}}", "tailrace.dev/warehouse")
	dir, err := list.Output()
	if err != nil {
		return fmt.Errorf("find module tailrace.dev/warehouse: %w", err)
	}
	cmd := exec.CommandContext(context.Background(), "go", append(args, "./cmd/tailrace-warehouse")...) //nolint:gosec // no input from outside
	cmd.Dir = strings.TrimSpace(string(dir))
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build tailrace-warehouse: %w\n%s", err, out)
	}
	return nil
}

// findLibrary uses TAILRACE_LIBCHDB, or searches upward for the library that set-up has put into .tailrace/.
func findLibrary() (string, error) {
	const name = ".tailrace/lib/libchdb.so"
	if path := os.Getenv("TAILRACE_LIBCHDB"); path != "" {
		_, err := os.Stat(path) //nolint:gosec // the developer chooses it
		return path, err
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
		if dir == filepath.Dir(dir) {
			return "", fmt.Errorf("the engine %s is missing: run `make setup`, or set TAILRACE_LIBCHDB", name)
		}
	}
}
