// SPDX-License-Identifier: Apache-2.0

package powerloss

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
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
