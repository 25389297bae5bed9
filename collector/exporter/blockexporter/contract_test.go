// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	contractRow    = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (`run_id .*) \\|$")
	contractColumn = regexp.MustCompile("`([a-z_]+) ([^`]+)`")
)

// contractStreams reads the table of streams from the block contract.
func contractStreams(t *testing.T) map[string][]column {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "docs", "contracts", "block.md"))
	require.NoError(t, err)
	streams := map[string][]column{}
	for _, row := range contractRow.FindAllStringSubmatch(string(text), -1) {
		for _, c := range contractColumn.FindAllStringSubmatch(row[2], -1) {
			streams[row[1]] = append(streams[row[1]], column{c[1], c[2]})
		}
	}
	require.NotEmpty(t, streams, "no stream found in the contract")
	return streams
}

func TestInsertsAreThoseOfTheContract(t *testing.T) {
	streams := contractStreams(t)
	assert.Equal(t, slices.Sorted(maps.Keys(streams)), slices.Sorted(maps.Keys(inserts)))
	for stream, columns := range streams {
		assert.Equal(t, stream, inserts[stream].table, "table")
		assert.Equal(t, names(columns), inserts[stream].columns, "columns of %s", stream)
	}
}

func names(columns []column) []string {
	var list []string
	for _, c := range columns {
		list = append(list, c.name)
	}
	return list
}
