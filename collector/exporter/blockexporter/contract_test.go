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

// column is a name and a ClickHouse type.
type column struct{ name, typ string }

var (
	contractRow    = regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\| (`run_id .*) \\|$")
	contractColumn = regexp.MustCompile("`([a-z_]+) ([^`]+)`")
	insertText     = regexp.MustCompile(`\AINSERT INTO ([a-z_]+) \(([a-z_, ]+)\) FORMAT Native\z`)
	listSeparator  = regexp.MustCompile(`, *`)
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
		parts := insertText.FindStringSubmatch(inserts[stream])
		require.NotNil(t, parts, "%s: %s", stream, inserts[stream])
		assert.Equal(t, stream, parts[1], "table")
		assert.Equal(t, names(columns), listSeparator.Split(parts[2], -1), "columns of %s", stream)
	}
}

func names(columns []column) []string {
	var list []string
	for _, c := range columns {
		list = append(list, c.name)
	}
	return list
}
