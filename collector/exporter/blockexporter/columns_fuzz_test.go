// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"slices"
	"testing"
)

var columnsSeeds = []string{
	"", "a", "a UInt8", "a UInt8,b String", "run_id LowCardinality(String), worker UInt16, time DateTime64(6, 'UTC')",
	`e Enum8('a,b)' = 1, 'it\'s, (' = 2), t Tuple(x UInt8, "y)" String)`, "a Array(Array(UInt8)", "a UInt8)", "a UInt8, a UInt8", `a '\`,
}

// FuzzParseColumns checks that parsed columns can be written and parsed again unchanged.
func FuzzParseColumns(f *testing.F) {
	for _, text := range columnsSeeds {
		f.Add(text)
	}
	f.Fuzz(checkParseColumns)
}

func TestParseColumnsMutations(t *testing.T) {
	r := repeatable()
	for _, seed := range columnsSeeds {
		for range mutationsEach {
			checkParseColumns(t, mutated(r, seed))
		}
	}
}

func checkParseColumns(t *testing.T, text string) {
	columns, err := parseColumns(text)
	if err != nil {
		checkOneCleanLine(t, err.Error())
		return
	}
	if len(columns) == 0 {
		t.Fatalf("%q: neither columns nor an error", text)
	}
	checkOneCleanLine(t, listed(columns))
	again, err := parseColumns(listed(columns))
	if err != nil || !slices.Equal(columns, again) {
		t.Fatalf("%q: %v became %v (%v)", text, columns, again, err)
	}
	if found := difference(columns, again); found != "" {
		t.Fatalf("%q differs from itself: %s", text, found)
	}
}
