// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tailrace.dev/warehouse/warehousetest"
)

// TestCrashLosesNoAcknowledgedInsert has writers that send block after block and re-send each until it is
// answered, while the process is killed again and again. In the end every block must be there once, in the
// table and in its materialized view.
func TestCrashLosesNoAcknowledgedInsert(t *testing.T) {
	const writers, blocks, rows, crashes = 3, 60, 5000, 4
	w := warehousetest.Start(t)
	w.Query(t, events)
	w.Query(t, `CREATE TABLE per_host (host LowCardinality(String), n SimpleAggregateFunction(sum, UInt64))
		ENGINE = AggregatingMergeTree ORDER BY host SETTINGS non_replicated_deduplication_window = 1000`)
	w.Query(t, "CREATE MATERIALIZED VIEW per_host_mv TO per_host AS SELECT host, count() AS n FROM events GROUP BY host")
	made := make([][]byte, writers*blocks)
	for i := range made {
		made[i] = w.Block(t, eventRows(i*rows, rows))
	}

	var acked, retried atomic.Int64
	var writing sync.WaitGroup
	deadline := time.Now().Add(3 * time.Minute)
	for writer := range writers {
		writing.Go(func() {
			for block := range blocks {
				number := writer*blocks + block
				request := warehousetest.Insert(insertEvents, fmt.Sprintf("run/%d/events/%d", writer, block), made[number])
				for {
					response, err := w.Send(request)
					if err == nil && response.Err == nil && response.Status == 200 {
						break
					}
					if time.Now().After(deadline) {
						t.Errorf("block %d was never accepted: %v %s", number, err, response.Body)
						return
					}
					retried.Add(1)
					time.Sleep(10 * time.Millisecond)
				}
				acked.Add(1)
			}
		})
	}
	for crash := range crashes {
		for acked.Load() < int64((crash+1)*writers*blocks/(crashes+1)) && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		w.Kill(t)
		w.Restart(t)
	}
	writing.Wait()
	t.Logf("%d blocks acknowledged, %d re-sent", acked.Load(), retried.Load())
	if retried.Load() == 0 {
		t.Error("no crash hit a writer: the test has shown nothing")
	}
	n := writers * blocks * rows
	want := fmt.Sprintf("%d\t%d\t%d", n, n, n-1)
	if got := w.Query(t, "SELECT count(), uniqExact(id), max(id) FROM events"); got != want {
		t.Errorf("table: %s, want %s", got, want)
	}
	if got := w.Query(t, "SELECT sum(n) FROM per_host"); got != fmt.Sprint(n) {
		t.Errorf("materialized view: %s, want %d", got, n)
	}
}
