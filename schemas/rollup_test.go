// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"fmt"
	"strings"
	"testing"

	"tailrace.dev/warehouse/warehousetest"
)

const insertPublishes = "INSERT INTO publishes (run_id, worker, producer, topic, partition, offset, intended_time, publish_delay_us, ack_time, payload_bytes)"

// published selects n messages of a worker: one every 100 µs, acknowledged after 1 to 5 ms, one of them before
// its intended send, 1000 bytes each. They cross midnight, so a block makes two parts in every table.
func published(worker, n int) string {
	return fmt.Sprintf(`SELECT toLowCardinality('r') AS run_id, toUInt16(%d) AS worker, toUInt32(0) AS producer,
		toLowCardinality('t') AS topic, toInt32(number %% 4) AS partition, toInt64(number) AS offset,
		toDateTime64('2026-01-01 23:59:58', 6, 'UTC') + toIntervalMicrosecond(number * 100) AS intended_time,
		toInt64(number %% 50) AS publish_delay_us,
		intended_time + toIntervalMicrosecond(if(number = 7, -20, 1000 + number * 13 %% 4000)) AS ack_time,
		toUInt32(1000) AS payload_bytes FROM numbers(%d)`, worker, n)
}

func TestResentBlockIsCountedOnceInEveryRollup(t *testing.T) {
	w := migrated(t)
	const rows = 40_000
	block := w.Block(t, published(0, rows))
	send := func(token string, block []byte) {
		t.Helper()
		if response := w.MustSend(t, warehousetest.Insert(insertPublishes, token, block)); response.Status != 200 {
			t.Fatalf("%s: %d %s", token, response.Status, response.Body)
		}
	}
	expect := func(times int) {
		t.Helper()
		n := times * rows
		f := func(sql, want string) {
			t.Helper()
			if got := w.Query(t, sql); got != want {
				t.Errorf("%s: %q, want %q", sql, got, want)
			}
		}
		f("SELECT count() FROM v_publishes", fmt.Sprint(n))
		f("SELECT stage, sum(events) FROM v_latency_1s GROUP BY stage ORDER BY stage",
			fmt.Sprintf("publish\t%d\npublish_delay\t%d\npublish_service\t%d", n, n, n))
		f("SELECT stage, sum(events), sum(bytes) FROM v_throughput_1s GROUP BY stage", fmt.Sprintf("acked\t%d\t%d", n, n*1000))
	}
	send("r/0/publishes/0", block)
	expect(1)
	send("r/0/publishes/0", block)
	expect(1)
	send("r/0/publishes/1", block) // the same rows as another block
	expect(2)
	w.Kill(t)
	w.Restart(t)
	send("r/0/publishes/0", block)
	send("r/0/publishes/1", block)
	expect(2)
	w.Query(t, "OPTIMIZE TABLE rollup_1s FINAL")
	expect(2)
}

// TestRollupIsCloseToTheRows holds the rollup to its promise: any quantile within 0.4 %.
func TestRollupIsCloseToTheRows(t *testing.T) {
	w := migrated(t)
	response := w.MustSend(t, warehousetest.Insert(insertPublishes, "r/0/publishes/0", w.Block(t, published(0, 40_000))))
	if response.Status != 200 {
		t.Fatalf("%d %s", response.Status, response.Body)
	}
	const levels = "0.0001, 0.01, 0.5, 0.9, 0.99, 0.999, 1"
	got := w.Query(t, `SELECT stage, arrayMax(arrayMap((exact, near) -> abs(near - exact) / greatest(abs(exact), 1), e, n)) <= 0.004
		FROM (
			SELECT 'publish' AS stage, quantilesExactWeighted(`+levels+`)(publish_latency_us, 1) AS e FROM v_publishes
			UNION ALL SELECT 'publish_service', quantilesExactWeighted(`+levels+`)(publish_service_us, 1) FROM v_publishes
			UNION ALL SELECT 'publish_delay', quantilesExactWeighted(`+levels+`)(publish_delay_us, 1) FROM v_publishes
		) AS rows
		JOIN (SELECT stage, quantilesExactWeighted(`+levels+`)(value_us, events) AS n FROM v_latency_1s GROUP BY stage) AS rollup USING stage
		ORDER BY stage`)
	if want := "publish\t1\npublish_delay\t1\npublish_service\t1"; got != want {
		t.Errorf("within 0.4 %%: %q, want %q", got, want)
	}
	if got := w.Query(t, "SELECT countIf(publish_latency_us = -20), min(publish_latency_us) FROM v_publishes"); got != "1\t-20" {
		t.Errorf("the message acknowledged before its intended send: %s", got)
	}
	if got := w.Query(t, "SELECT min(value_us) BETWEEN -20.08 AND -19.92 FROM v_latency_1s WHERE stage = 'publish'"); got != "1" {
		t.Errorf("it is not in the rollup: %s", w.Query(t, "SELECT min(value_us) FROM v_latency_1s"))
	}
}

// TestRollupOfEverySmallValue gives each value a separate second, so that each can be checked.
func TestRollupOfEverySmallValue(t *testing.T) {
	w := migrated(t)
	w.Query(t, `INSERT INTO publishes (run_id, topic, offset, intended_time, publish_delay_us, ack_time)
		SELECT 'r', 't', number, toDateTime64('2026-01-15 10:00:00', 6, 'UTC') + number, number, toDateTime64('2026-01-15 10:00:00', 6, 'UTC')
		FROM numbers(1, 4096)`)
	got := w.Query(t, `SELECT count(), max(abs(value_us - n) / n) <= 0.004
		FROM (SELECT value_us, toUnixTimestamp(time) - toUnixTimestamp(toDateTime('2026-01-15 10:00:00', 'UTC')) AS n
			FROM v_latency_1s WHERE stage = 'publish_delay')`)
	if got != "4096\t1" {
		t.Errorf("values and whether all are within 0.4 %%: %q", got)
	}
}

// TestRollupKeepsEveryEndToEndLatency: none is too small, too large or on the wrong side of zero to be counted.
func TestRollupKeepsEveryEndToEndLatency(t *testing.T) {
	const hours40 = 40 * 3600 * 1_000_000
	latencies := []int64{-5_000_000, -250, 0, 1, 999, hours40}
	w := migrated(t)
	for n, us := range latencies {
		w.Query(t, fmt.Sprintf(`INSERT INTO deliveries (run_id, topic, offset, intended_time, receive_time)
			SELECT 'r', 't', %d, toDateTime64('2026-01-15 10:00:00', 6, 'UTC') AS due, due + toIntervalMicrosecond(%d)`, n, us))
	}
	if got := w.Query(t, "SELECT groupArray(us) FROM (SELECT end_to_end_us AS us FROM v_deliveries ORDER BY offset)"); got != "[-5000000,-250,0,1,999,144000000000]" {
		t.Errorf("rows: %s", got)
	}
	got := w.Query(t, `SELECT sum(events), countIf(value_us < 0), countIf(value_us = 0), min(value_us) BETWEEN -5020000 AND -4980000,
		max(value_us) BETWEEN 143424000000 AND 144576000000 FROM v_latency_1s WHERE stage = 'end_to_end'`)
	if want := "6\t2\t1\t1\t1"; got != want {
		t.Errorf("events, below zero, zero, least and largest within 0.4 %%: %q, want %q", got, want)
	}
}

func TestEveryViewCanBeRead(t *testing.T) {
	w := migrated(t)
	// Those with parameters are no tables until they are given (the queries' tests read them), v_signals and v_stage_names are lists.
	views := w.Query(t, "SELECT name FROM system.tables WHERE database = 'default' AND name LIKE 'v\\_%'"+
		" AND position(as_select, '{') = 0 AND name NOT IN ('v_signals', 'v_stage_names')")
	if !strings.Contains(views, "v_publishes") {
		t.Fatalf("views: %q", views)
	}
	for view := range strings.SplitSeq(views, "\n") {
		if got := w.Query(t, "SELECT count() FROM "+view); got != "0" {
			t.Errorf("%s: %s rows in an empty database", view, got)
		}
	}
}
