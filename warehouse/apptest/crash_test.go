// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tailrace.dev/warehouse/warehousetest"
)

// TestCrashLosesNoAcknowledgedInsert runs writers that send block after block and repeat each until it is answered, while
// the process is killed several times. In the end the table and its materialized view must contain every block once.
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
	repaired := 0
	for crash := range crashes {
		for acked.Load() < int64((crash+1)*writers*blocks/(crashes+1)) && time.Now().Before(deadline) {
			time.Sleep(time.Millisecond)
		}
		w.Kill(t)
		w.Restart(t)
		repaired += strings.Count(w.Log(), "can be sent again")
	}
	writing.Wait()
	t.Logf("%d blocks acknowledged, %d re-sent; %d of %d starts repaired a deduplication log",
		acked.Load(), retried.Load(), repaired, crashes)
	if retried.Load() == 0 {
		t.Error("no crash interrupted a writer: the test has shown nothing")
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

// TestBlockRecordedButNotStoredCanBeSentAgain puts the directory into the state of a crash between the two steps of a
// commit: the block's id is recorded, and one of its two parts has no final name yet.
func TestBlockRecordedButNotStoredCanBeSentAgain(t *testing.T) {
	w := warehousetest.Start(t)
	w.Query(t, events)
	request := warehousetest.Insert(insertEvents, "run/0/events/0", w.Block(t, eventRows(0, 1000)))
	if response := w.MustSend(t, request); response.Status != 200 {
		t.Fatalf("%d %s", response.Status, response.Body)
	}
	part := w.Query(t, "SELECT path FROM system.parts WHERE table = 'events' AND partition = '20260102'")
	w.Kill(t)
	if err := os.RemoveAll(part); err != nil || part == "" {
		t.Fatalf("remove part %q: %v", part, err)
	}
	w.Restart(t)
	if got := w.Query(t, "SELECT count() FROM events"); got != "500" {
		t.Fatalf("after the crash there are %s rows, want one part's 500", got)
	}
	for range 2 {
		if response := w.MustSend(t, request); response.Status != 200 {
			t.Fatalf("%d %s", response.Status, response.Body)
		}
		if got := w.Query(t, "SELECT count(), uniqExact(id) FROM events"); got != "1000\t1000" {
			t.Errorf("after sending again: %s", got)
		}
	}
}
