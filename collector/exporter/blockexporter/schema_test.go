// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// publishesColumns are the stream's columns in the contract.
func publishesColumns(t *testing.T) []column {
	t.Helper()
	return contractStreams(t)["publishes"]
}

// clockedSchema asks a table that the test changes, at times that the test sets.
type clockedSchema struct {
	*schema
	table   []column
	failure *deliveryError
	asked   int
	clock   time.Time
}

func newClockedSchema(t *testing.T) *clockedSchema {
	c := &clockedSchema{table: publishesColumns(t), clock: time.Unix(1000, 0)}
	c.schema = newSchema(func(_ context.Context, table string) ([]column, *deliveryError) {
		assert.Equal(t, "publishes", table)
		c.asked++
		return c.table, c.failure
	})
	c.now = func() time.Time { return c.clock }
	return c
}

func (c *clockedSchema) verdict(columns []column) *deliveryError {
	return c.check(context.Background(), &block{stream: "publishes", columns: columns})
}

func TestSchemaAsksOnceForBlocksThatFit(t *testing.T) {
	c := newClockedSchema(t)
	fitting := publishesColumns(t)
	for range 3 {
		require.Nil(t, c.verdict(fitting))
		c.clock = c.clock.Add(3 * time.Second)
	}
	assert.Equal(t, 1, c.asked)
	c.clock = time.Unix(1010, 0)
	require.Nil(t, c.verdict(fitting))
	assert.Equal(t, 2, c.asked, "a list is trusted ten seconds")
	require.Nil(t, c.verdict(nil), "a block without columns is not compared")
	assert.Equal(t, 2, c.asked)
}

func TestSchemaRefusesWithBothLists(t *testing.T) {
	c := newClockedSchema(t)
	block := publishesColumns(t)
	block[1].typ = "UInt64"
	c.table = append(c.table, column{"late", "Bool"})
	failure := c.verdict(append(block[:len(block)-1:len(block)-1], column{"extra", "UInt8"}))
	require.NotNil(t, failure)
	assert.Equal(t, permanent, failure.outcome)
	assert.Equal(t, reasonColumns, failure.reason)
	assert.EqualError(t, failure, "columns do not fit table publishes: missing: payload_bytes UInt32, late Bool; unknown: extra UInt8; "+
		"of another type: worker UInt64 instead of UInt16; "+
		"the block has (run_id LowCardinality(String), worker UInt64, producer UInt32, topic LowCardinality(String), partition Int32, "+
		"offset Int64, intended_time DateTime64(6, 'UTC'), publish_delay_us Int64, ack_time DateTime64(6, 'UTC'), extra UInt8), "+
		"the table has (run_id LowCardinality(String), worker UInt16, producer UInt32, topic LowCardinality(String), partition Int32, "+
		"offset Int64, intended_time DateTime64(6, 'UTC'), publish_delay_us Int64, ack_time DateTime64(6, 'UTC'), payload_bytes UInt32, late Bool)")
}

func TestSchemaAsksAgainAfterAMigration(t *testing.T) {
	c := newClockedSchema(t)
	old := publishesColumns(t)
	newer := append(publishesColumns(t), column{"late", "Bool"})
	require.Nil(t, c.verdict(old))
	c.clock = c.clock.Add(500 * time.Millisecond)
	require.NotNil(t, c.verdict(newer), "asked half a second ago")
	assert.Equal(t, 1, c.asked)
	c.clock = c.clock.Add(500 * time.Millisecond)
	c.table = newer
	failure := c.verdict(newer)
	assert.Equal(t, 2, c.asked)
	assert.ErrorContains(t, failure, "columns fit table publishes, but this collector's INSERT does not name: late Bool; the block has (")
	assert.Equal(t, permanent, failure.outcome)
	assert.ErrorContains(t, c.verdict(old), "missing: late Bool")
	assert.Equal(t, 2, c.asked)
}

func TestSchemaWaitsForTheTable(t *testing.T) {
	c := newClockedSchema(t)
	c.table = nil
	for range 2 {
		failure := c.verdict(publishesColumns(t))
		require.EqualError(t, failure, "there is no table publishes yet")
		assert.Equal(t, retryable, failure.outcome)
	}
	assert.Equal(t, 1, c.asked, "at most once a second")
	c.clock = c.clock.Add(time.Second)
	c.table = publishesColumns(t)
	require.Nil(t, c.verdict(publishesColumns(t)))
}

func TestSchemaIsUnknownWhileClickHouseIsDown(t *testing.T) {
	c := newClockedSchema(t)
	c.failure = &deliveryError{outcome: retryable, err: errors.New("connection refused")}
	require.EqualError(t, c.verdict(publishesColumns(t)), "connection refused")
	c.failure = nil
	require.Nil(t, c.verdict(publishesColumns(t)), "asked again at once: there was no answer")
	c.clock = c.clock.Add(time.Hour)
	c.failure = &deliveryError{outcome: retryable, err: errors.New("connection refused")}
	require.NotNil(t, c.verdict(publishesColumns(t)), "an old list is no answer")
}

func TestSchemaWaitEndsWithTheContext(t *testing.T) {
	c := newClockedSchema(t)
	hangs := make(chan struct{})
	c.fetch = func(context.Context, string) ([]column, *deliveryError) {
		<-hangs
		return c.table, nil
	}
	done := make(chan *deliveryError)
	go func() { done <- c.verdict(publishesColumns(t)) }()
	require.Eventually(t, func() bool { return len(c.tables["publishes"].turn) == 1 }, 10*time.Second, time.Millisecond)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	failure := c.check(ctx, &block{stream: "publishes", columns: publishesColumns(t)})
	assert.Equal(t, retryable, failure.outcome)
	require.ErrorContains(t, failure, "wait for the columns of table publishes: context canceled")
	close(hangs)
	require.Nil(t, <-done)
}
