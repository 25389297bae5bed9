// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
)

// goldenColumns reads the columns of a golden block from its bytes.
func goldenColumns(t *testing.T, compressed []byte) []column {
	t.Helper()
	decoder, err := zstd.NewReader(nil)
	require.NoError(t, err)
	defer decoder.Close()
	data, err := decoder.DecodeAll(compressed, nil)
	require.NoError(t, err)
	columns, _, err := readNative(data)
	require.NoError(t, err)
	return columns
}

// The load generator's blocks, the exporter's INSERTs, the contract and the migrations must have the same columns.
func TestBlocksInsertsContractAndTablesAgree(t *testing.T) {
	w := startWarehouse(t)
	e, err := newBlockExporter(configFor(w.url()), componenttest.NewNopTelemetrySettings())
	require.NoError(t, err)
	require.NoError(t, e.start(context.Background(), componenttest.NewNopHost()))
	blocks, contract := goldenBlocks(t), contractStreams(t)
	assert.Equal(t, slices.Sorted(maps.Keys(inserts)), slices.Sorted(maps.Keys(blocks)))
	for stream, into := range inserts {
		table, failure := e.fetchColumns(context.Background(), into.table)
		require.Nil(t, failure)
		block := goldenColumns(t, blocks[stream])
		assert.Equal(t, table, block, "%s: table and golden block", stream)
		assert.Equal(t, table, contract[stream], "%s: table and contract", stream)
		assert.Equal(t, names(table), into.columns, "%s: table and INSERT", stream)

		sent, err := parseColumns(listed(block))
		require.NoError(t, err)
		assert.Equal(t, block, sent, "%s: the columns as a sender states them", stream)
	}
	none, failure := e.fetchColumns(context.Background(), "no_such_table")
	require.Nil(t, failure)
	assert.Empty(t, none)
}

// A newer engine may have codes without a verdict.
func TestEveryErrorCodeOfTheEngineHasAVerdict(t *testing.T) {
	w := startWarehouse(t)
	var here []string
	for line := range strings.Lines(errorCodesFile) {
		if !strings.HasPrefix(line, "#") {
			here = append(here, line[:strings.LastIndex(line, "\t")])
		}
	}
	engine := w.query(t, "SELECT number, errorCodeToName(number) AS name FROM numbers(1, 99999) WHERE name != '' ORDER BY number")
	assert.Equal(t, strings.Split(engine, "\n"), here,
		"decide on the new codes in error_codes.tsv")
}
