// SPDX-License-Identifier: Apache-2.0

package deduplog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// table creates a table's directory with parts and log files, numbered from 1.
func table(t *testing.T, parts []string, logs ...string) (dataDir, logDir string) {
	t.Helper()
	dataDir = t.TempDir()
	logDir = filepath.Join(dataDir, "store", "abc", "abc-uuid", "deduplication_logs")
	for _, name := range append(parts, "deduplication_logs", "detached") {
		must(t, os.MkdirAll(filepath.Join(filepath.Dir(logDir), name), 0o700))
	}
	for i, text := range logs {
		must(t, os.WriteFile(filepath.Join(logDir, "deduplication_log_"+string(rune('1'+i))+".txt"), []byte(text), 0o600))
	}
	return dataDir, logDir
}

func TestRepair(t *testing.T) {
	f := func(name string, parts []string, wantRecords int, wantLast string, logs ...string) {
		t.Helper()
		dataDir, logDir := table(t, parts, logs...)
		n, err := Repair(dataDir)
		if err != nil || n != wantRecords {
			t.Errorf("%s: %d records taken back, want %d: %v", name, n, wantRecords, err)
		}
		files, _ := logFiles(logDir)
		last, err := os.ReadFile(files[len(files)-1])
		if err != nil || string(last) != wantLast {
			t.Errorf("%s: log %q, want %q: %v", name, last, wantLast, err)
		}
		if n, err = Repair(dataDir); n != 0 || err != nil {
			t.Errorf("%s: the second repair found %d records: %v", name, n, err)
		}
	}
	line := func(fields ...string) string { return strings.Join(fields, "\t") + "\n" }
	one, two := line("1", "all_1_1_0", "all_x"), line("1", "all_2_2_0", "all_y")
	back := line("2", "all_2_2_0", "all_y")

	f("all parts exist", []string{"all_1_1_0", "all_2_2_0"}, 0, one+two, one+two)
	f("merged", []string{"all_1_7_2"}, 0, one+two, one+two)
	f("mutated", []string{"all_1_1_0_9", "all_2_2_0"}, 0, one+two, one+two)
	f("no part", []string{"all_1_1_0"}, 1, one+two+back, one+two)
	f("an unfinished part", []string{"all_1_1_0", "tmp_insert_all_2_2_0"}, 1, one+two+back, one+two)
	f("a part of another partition", []string{"all_1_1_0", "20260101_2_2_0"}, 1, one+two+back, one+two)
	f("taken back before", []string{"all_1_1_0"}, 0, one+two+back, one+two+back)
	f("sent again", []string{"all_1_1_0", "all_3_3_0"}, 0, one+two+back+line("1", "all_3_3_0", "all_y"), one+two+back+line("1", "all_3_3_0", "all_y"))
	f("two files", []string{"all_1_1_0"}, 1, two+back, one, two)
	f("a torn line", []string{"all_1_1_0"}, 0, one, one+"1\tall_2")
	f("nothing", nil, 0, "", "")
}

func TestRepairLeavesUnknownFormsAlone(t *testing.T) {
	dataDir, logDir := table(t, nil, "version 2\n")
	if _, err := Repair(dataDir); err == nil || !strings.Contains(err.Error(), "is not a record") {
		t.Errorf("error %v", err)
	}
	if text, _ := os.ReadFile(filepath.Join(logDir, "deduplication_log_1.txt")); string(text) != "version 2\n" {
		t.Errorf("the log was changed: %q", text)
	}
	if n, err := Repair(t.TempDir()); n != 0 || err != nil {
		t.Errorf("a new directory: %d, %v", n, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
