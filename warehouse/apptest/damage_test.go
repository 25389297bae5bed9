// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tailrace.dev/warehouse/warehousetest"
)

// damaged returns a stopped warehouse with one table, and the only file in its store that matches the pattern.
func damaged(t *testing.T, pattern string) (*warehousetest.Warehouse, string) {
	t.Helper()
	w := warehousetest.Start(t)
	w.Query(t, "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
	w.Query(t, "INSERT INTO t SELECT number FROM numbers(100000)")
	folder := w.Query(t, "SELECT data_paths[1] FROM system.tables WHERE database = 'default' AND name = 't'")
	w.Stop(t)
	if pattern == "t.sql" { // definitions lie beside their database, not beside their table
		folder = filepath.Join(w.Dir, "store", "*", "*")
	}
	found, err := filepath.Glob(filepath.Join(folder, pattern))
	if err != nil || len(found) != 1 {
		t.Fatalf("%s: %v %v", pattern, found, err)
	}
	return w, found[0]
}

func TestUnreadablePartIsReported(t *testing.T) {
	w, part := damaged(t, "all_*/columns.txt")
	must(t, os.Truncate(strings.TrimSuffix(part, "columns.txt")+"data.bin", 10))
	expectRefusal(t, w.Command(), "--accept-damage")
	expectRefusal(t, w.Command(), "broken-on-start_all_1_1_0")
	w.Restart(t, "--accept-damage")
	if got := w.Query(t, "SELECT count() FROM t"); got != "0" || !strings.Contains(w.Log(), "serving a damaged data directory") {
		t.Errorf("%s rows; log:\n%s", got, w.Log())
	}
}

func TestUnreadableTableIsReported(t *testing.T) {
	w, definition := damaged(t, "t.sql")
	must(t, os.WriteFile(definition, []byte("garbage"), 0o600))
	expectRefusal(t, w.Command(), definition)
	expectRefusal(t, w.Command(), "Replace the directory by a copy")
	must(t, os.Remove(definition))
	w.Restart(t)
}

func TestLostTableIsReported(t *testing.T) {
	w, _ := damaged(t, "t.sql")
	must(t, os.RemoveAll(filepath.Join(w.Dir, "store")))
	expectRefusal(t, w.Command(), "the data of table default.t is missing")
	w.Restart(t, "--accept-damage")
}

// TestFlippedBitsAreAnError: what has become wrong after the start is never an answer.
func TestFlippedBitsAreAnError(t *testing.T) {
	w, part := damaged(t, "all_*/columns.txt")
	data := strings.TrimSuffix(part, "columns.txt") + "data.bin"
	text, err := os.ReadFile(data)
	must(t, err)
	text[len(text)/2] ^= 0xff
	must(t, os.WriteFile(data, text, 0o600))
	w.Restart(t)
	response := w.MustSend(t, warehousetest.Request{Body: []byte("SELECT sum(a) FROM t")})
	if response.Code() != "40" {
		t.Errorf("%d %s", response.Status, response.Body)
	}
}
