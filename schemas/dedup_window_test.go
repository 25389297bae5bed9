// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"tailrace.dev/warehouse/warehousetest"
)

// outage is how many blocks of a stream may come again: an hour of them at 15 a second.
const outage = 15 * 3600

// TestWindowsCoverAnHourOfBlocks holds every table that blocks reach, directly or through views, to a window
// that remembers an hour of them. Each view's insert counts separately in its target's window.
func TestWindowsCoverAnHourOfBlocks(t *testing.T) {
	w := migrated(t)
	feeds := map[string]int{}
	for _, stream := range []string{"publishes", "deliveries", "publish_failures", "run_events", "partition_leaders", "transactions", "broker_requests", "ledger"} {
		feeds[stream] = 1
	}
	for view := range strings.SplitSeq(w.Query(t, `SELECT extract(create_table_query, ' TO default\\.(\\w+)')
		FROM system.tables WHERE database = 'default' AND engine = 'MaterializedView'`), "\n") {
		feeds[view]++
	}
	if feeds["rollup_1s"] != 3 {
		t.Fatalf("views found: %v", feeds)
	}
	for table, blocks := range feeds {
		text := w.Query(t, "SELECT extract(engine_full, 'non_replicated_deduplication_window = (\\\\d+)') FROM system.tables"+
			" WHERE database = 'default' AND name = '"+table+"'")
		window, err := strconv.Atoi(text)
		if need := blocks * outage; err != nil || window < need {
			t.Errorf("%s: its deduplication window is %q, and must be %d at least", table, text, need)
		}
	}
}

// TestViewsShareTheWindowOfTheirTarget shows why: with two tables of n blocks each, a table that views of both
// insert into needs a window of 2n. With fewer, a block sent again is counted twice there and once in its own table.
func TestViewsShareTheWindowOfTheirTarget(t *testing.T) {
	w := warehousetest.Start(t)
	const blocks = 20
	for name, window := range map[string]int{"enough": 2 * blocks, "short": 2*blocks - 1} {
		run := func(sql string) { w.Query(t, strings.ReplaceAll(sql, "NAME", name)) }
		run(fmt.Sprintf(`CREATE TABLE NAME (n UInt64) ENGINE = MergeTree ORDER BY n
			SETTINGS non_replicated_deduplication_window = %d`, window))
		for _, source := range []string{"a", "b"} {
			run(fmt.Sprintf(`CREATE TABLE NAME_%s (n UInt64) ENGINE = MergeTree ORDER BY n
				SETTINGS non_replicated_deduplication_window = %d`, source, blocks))
			run(fmt.Sprintf("CREATE MATERIALIZED VIEW NAME_%s_mv TO NAME AS SELECT n FROM NAME_%s", source, source))
		}
		block := w.Block(t, "SELECT 1::UInt64 AS n")
		for range 2 {
			for i := range blocks {
				for _, source := range []string{"a", "b"} {
					insert := warehousetest.Insert(fmt.Sprintf("INSERT INTO %s_%s (n)", name, source), fmt.Sprintf("%s/%d", source, i), block)
					if response := w.MustSend(t, insert); response.Status != 200 {
						t.Fatalf("%d %s", response.Status, response.Body)
					}
				}
			}
		}
		sources := w.Query(t, fmt.Sprintf("SELECT (SELECT count() FROM %s_a), (SELECT count() FROM %s_b)", name, name))
		if sources != fmt.Sprintf("%d\t%d", blocks, blocks) {
			t.Errorf("%s: rows of the tables: %s", name, sources)
		}
		rolled, _ := strconv.Atoi(w.Query(t, "SELECT count() FROM "+name))
		if enough := window >= 2*blocks; enough != (rolled == 2*blocks) {
			t.Errorf("%s: window %d, %d rows through the views, of %d blocks", name, window, rolled, 2*blocks)
		}
	}
}
