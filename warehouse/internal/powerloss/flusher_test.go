// SPDX-License-Identifier: Apache-2.0

package powerloss

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestOnlyChangedTablesAreFlushed(t *testing.T) {
	dir := t.TempDir()
	table := filepath.Join(dir, "store", "abc", "abc-uuid")
	logs := filepath.Join(table, "deduplication_logs")
	must(t, os.MkdirAll(logs, 0o700))
	// A device that cannot be flushed replaces a drive that cannot.
	log := filepath.Join(logs, "deduplication_log_1.txt")
	must(t, os.Symlink("/dev/null", log))
	past := time.Now().Add(-time.Hour)
	must(t, os.Chtimes(table, past, past))

	f := New(dir)
	if err := f.Inserted(); err == nil || !strings.Contains(err.Error(), table) {
		t.Errorf("a failed flush: %v", err)
	}
	if err := f.Inserted(); err == nil {
		t.Error("a table whose flush failed counts as flushed")
	}
	must(t, os.Remove(log))
	if err := f.Inserted(); err != nil {
		t.Errorf("a table without a log: %v", err)
	}
	must(t, os.Symlink("/dev/null", log))
	must(t, os.Chtimes(table, past, past))
	if err := f.Inserted(); err != nil {
		t.Errorf("a table that has not changed was flushed: %v", err)
	}
	must(t, os.Mkdir(filepath.Join(table, "all_1_1_0"), 0o700))
	if err := f.Inserted(); err == nil {
		t.Error("a table with a new data part was not flushed")
	}
}

// flagged reports whether a file system with such a flag has it set.
func flagged(t *testing.T, path string) bool {
	t.Helper()
	file, err := os.Open(path)
	must(t, err)
	defer func() { _ = file.Close() }()
	flags, err := unix.IoctlGetInt(int(file.Fd()), unix.FS_IOC_GETFLAGS)
	if err != nil {
		t.Skipf("the file system of %s has no flags: %v", path, err)
	}
	return flags&syncFlag != 0
}

func TestLogsBecomeSynchronousAndOrdinaryAgain(t *testing.T) {
	dir := t.TempDir()
	logs := filepath.Join(dir, "store", "abc", "abc-uuid", "deduplication_logs")
	must(t, os.MkdirAll(logs, 0o700))
	first, second := filepath.Join(logs, "deduplication_log_1.txt"), filepath.Join(logs, "deduplication_log_2.txt")
	must(t, os.WriteFile(first, nil, 0o600))
	must(t, New(dir).Changed())
	must(t, os.WriteFile(second, nil, 0o600))
	if !flagged(t, first) || !flagged(t, second) {
		t.Error("a log is not synchronous")
	}
	must(t, Synchronous(dir, false))
	if flagged(t, logs) || flagged(t, first) || flagged(t, second) {
		t.Error("a log is still synchronous")
	}
}

func TestNothingToFlush(t *testing.T) {
	var none *Flusher
	if none.Inserted() != nil || none.Changed() != nil {
		t.Error("without --durability fsync there is an error")
	}
	empty := New(t.TempDir())
	if err := empty.Inserted(); err != nil {
		t.Error(err)
	}
	if err := empty.Changed(); err != nil {
		t.Error(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
