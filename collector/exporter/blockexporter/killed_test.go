// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
)

// Senders repeat until success while the warehouse is killed: every row must be stored once.
func TestWarehouseKilledDuringPosts(t *testing.T) {
	const senders, each = 4, 40
	w := startWarehouse(t)
	tel := componenttest.NewTelemetry()
	exp := startExporter(t, strictConfig(t, w.url()), tel.NewTelemetrySettings())
	first := goldenLogs(t, "publishes", 0)
	require.NoError(t, exp.ConsumeLogs(context.Background(), first))
	ofOneBlock := hashOf(t, w)

	var done atomic.Int64
	var running sync.WaitGroup
	for sender := range int64(senders) {
		running.Go(func() {
			for seq := range int64(each) {
				logs := plog.NewLogs()
				first.CopyTo(logs)
				firstRecord(logs).Attributes().PutInt(attrSeq, 1+sender*each+seq)
				for err := exp.ConsumeLogs(t.Context(), logs); err != nil; err = exp.ConsumeLogs(t.Context(), logs) {
					if consumererror.IsPermanent(err) || t.Context().Err() != nil {
						t.Errorf("seq %d: %v", seq, err)
						return
					}
					time.Sleep(5 * time.Millisecond)
				}
				done.Add(1)
			}
		})
	}
	for _, after := range []int64{20, 70, 120} {
		require.Eventually(t, func() bool { return done.Load() >= after }, time.Minute, time.Millisecond)
		w.kill(t)
		w.start(t)
	}
	running.Wait()

	assert.EqualValues(t, (senders*each+1)*goldenRows(t)["publishes"], rowsIn(t, w, "publishes"))
	assert.Equal(t, ofOneBlock*(senders*each+1), hashOf(t, w), "the rows are the right ones")
	assert.Positive(t, counted(t, tel, "blocks")["outcome=retryable,stream=publishes"], "no kill hit a post")
	assert.Positive(t, counted(t, tel, "retries")["stream=publishes"])
}

// hashOf adds up the rows of publishes: two tables of the same rows have the same sum, modulo 2^64.
func hashOf(t *testing.T, w *warehouse) uint64 {
	t.Helper()
	sum, err := strconv.ParseUint(w.query(t, "SELECT sum(cityHash64(*)) FROM publishes"), 10, 64)
	require.NoError(t, err)
	return sum
}
