// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/pdata/plog"
)

func TestParseColumns(t *testing.T) {
	f := func(text string, want ...column) {
		t.Helper()
		got, err := parseColumns(text)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	f("a UInt8", column{"a", "UInt8"})
	f("  a   UInt8 ,b String", column{"a", "UInt8"}, column{"b", "String"})
	f("run_id LowCardinality(String), time DateTime64(6, 'UTC'), n Int64",
		column{"run_id", "LowCardinality(String)"}, column{"time", "DateTime64(6, 'UTC')"}, column{"n", "Int64"})
	f("e Enum8('a,b)' = 1, 'it\\'s, (' = 2), t Tuple(`x, y` UInt8, \"z)\" String)",
		column{"e", "Enum8('a,b)' = 1, 'it\\'s, (' = 2)"}, column{"t", "Tuple(`x, y` UInt8, \"z)\" String)"})
	_, err := parseColumns(strings.Repeat("a", 128) + " " + strings.Repeat("T", 32000))
	require.NoError(t, err)
}

func TestParseColumnsRefuses(t *testing.T) {
	f := func(text, want string) {
		t.Helper()
		got, err := parseColumns(text)
		require.ErrorContains(t, err, want)
		assert.Nil(t, got)
	}
	f("", `column 1: "" is not a column name`)
	f("a", "column a: has no type")
	f("a UInt8,", `column 2: "" is not a column name`)
	f("a UInt8, , b UInt8", `column 2: "" is not a column name`)
	f("a UInt8, a String", "column a: is listed twice")
	f("1a UInt8", `column 1: "1a" is not a column name`)
	f("a;b UInt8", `"a;b" is not a column name`)
	f(strings.Repeat("a", 129)+" UInt8", "is not a column name")
	f("a Array(UInt8", "leaves a bracket or a quote open")
	f("a DateTime('UTC", "leaves a bracket or a quote open")
	f(`a Enum8('x\`, "leaves a bracket or a quote open")
	f("a UInt8)", "closes a bracket that is not open")
	f("a UInt8\nb UInt8", "must be printable text")
	f("a \xff", "must be printable text")
	f(strings.Repeat("a", 32<<10+1), "must be at most 32768 bytes")
	f(strings.Repeat("a U,", 1000)+"a U", "must be at most 1000 columns")
}

func TestDifference(t *testing.T) {
	table := []column{{"a", "UInt8"}, {"b", "String"}, {"c", "Int64"}}
	f := func(want string, block ...column) {
		t.Helper()
		assert.Equal(t, want, difference(block, table))
	}
	f("", table...)
	f("", table[2], table[0], table[1])
	f("missing: b String, c Int64", table[0])
	f("unknown: d Date", append([]column{{"d", "Date"}}, table...)...)
	f("of another type: a UInt16 instead of UInt8", column{"a", "UInt16"}, table[1], table[2])
	f("missing: c Int64; unknown: x UInt8; of another type: b UInt8 instead of String", table[0], column{"b", "UInt8"}, column{"x", "UInt8"})
}

func TestParseBlockColumns(t *testing.T) {
	f := func(required bool, wantError string, want []column, change func(plog.LogRecord)) {
		t.Helper()
		record := newRecord()
		change(record)
		b, err := parseBlock(record, required)
		assert.Equal(t, want, b.columns)
		assert.True(t, b.complete, "it can be named and kept all the same")
		if wantError == "" {
			require.NoError(t, err)
			return
		}
		require.ErrorContains(t, err, wantError)
	}
	unchanged := func(plog.LogRecord) {}
	f(false, "", nil, unchanged)
	f(true, "tailrace.block.columns: is missing", nil, unchanged)
	for _, required := range []bool{false, true} {
		f(required, "", []column{{"a", "UInt8"}}, func(r plog.LogRecord) { r.Attributes().PutStr(attrColumns, "a UInt8") })
		f(required, `tailrace.block.columns: column a: has no type, is "a"`, nil,
			func(r plog.LogRecord) { r.Attributes().PutStr(attrColumns, "a") })
		f(required, "tailrace.block.columns: must be a string, is Int", nil,
			func(r plog.LogRecord) { r.Attributes().PutInt(attrColumns, 1) })
	}
}
