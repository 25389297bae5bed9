// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"testing"

	"tailrace.dev/warehouse/warehousetest"
)

// TestDurabilityIsTheTablesDefault also shows that tables follow the program's flag, not that of the time of their making.
// lab/powercut cuts the power.
func TestDurabilityIsTheTablesDefault(t *testing.T) {
	const settings = `SELECT name, value FROM system.merge_tree_settings
		WHERE name IN ('fsync_after_insert', 'fsync_part_directory') ORDER BY name`
	w := warehousetest.Start(t, "--durability=fsync")
	w.Query(t, events)
	request := warehousetest.Insert(insertEvents, "run/0/events/0", w.Block(t, eventRows(0, 1000)))
	if response := w.MustSend(t, request); response.Status != 200 {
		t.Fatalf("%d %s", response.Status, response.Body)
	}
	if got := w.Query(t, settings); got != "fsync_after_insert\t1\nfsync_part_directory\t1" {
		t.Errorf("with --durability=fsync: %q", got)
	}
	w.Kill(t)
	w.Restart(t)
	if response := w.MustSend(t, request); response.Status != 200 {
		t.Fatalf("%d %s", response.Status, response.Body)
	}
	if got := w.Query(t, "SELECT count() FROM events"); got != "1000" {
		t.Errorf("%s rows, want 1000", got)
	}
	if got := w.Query(t, settings); got != "fsync_after_insert\t0\nfsync_part_directory\t0" {
		t.Errorf("without the flag: %q", got)
	}
}
