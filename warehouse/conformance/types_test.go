// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
)

// types are those that a table of events or of OpenTelemetry signals may have.
var types = []string{
	"Bool", "UInt8", "UInt16", "UInt32", "UInt64", "UInt128", "UInt256", "Int8", "Int16", "Int32", "Int64", "Int128", "Int256",
	"Float32", "Float64", "String", "FixedString(5)", "UUID", "IPv4", "IPv6", "Date", "Date32", "DateTime", "DateTime('UTC')",
	"DateTime64(3, 'UTC')", "DateTime64(6, 'UTC')", "DateTime64(9)", "Decimal(9, 2)", "Decimal(18, 4)", "Decimal(38, 6)", "Decimal(76, 9)",
	"Enum8('a' = 1, 'b,(' = 2)", "Enum16('x' = 1000, 'y' = -5)",
	"Nullable(UInt64)", "Nullable(String)", "Nullable(DateTime64(9))", "LowCardinality(String)", "LowCardinality(Nullable(String))",
	"Array(UInt64)", "Array(String)", "Array(LowCardinality(String))", "Array(Nullable(Int32))", "Array(Array(String))",
	"Array(DateTime64(9))", "Array(Map(LowCardinality(String), String))", "Map(String, String)", "Map(LowCardinality(String), String)",
	"Map(String, UInt64)", "Map(String, Array(String))", "Tuple(UInt8, String)", "Tuple(a UInt64, b LowCardinality(String))",
	"SimpleAggregateFunction(sum, UInt64)", "SimpleAggregateFunction(max, DateTime64(6, 'UTC'))",
	// OpenTelemetry's traces and metrics: Nested columns are arrays of these.
	"Array(Tuple(Timestamp DateTime64(9), Name LowCardinality(String), Attributes Map(LowCardinality(String), String)))",
	"Nested(TraceId String, SpanId String, TraceState String, Attributes Map(LowCardinality(String), String))",
}

// TestEveryTypeThereAndBack reads a column of every type with clickhouse-go, writes it back with clickhouse-go, and lets
// the server compare. The columns around it show whether it ended at the right place.
func TestEveryTypeThereAndBack(t *testing.T) {
	s := start(t)
	conn, err := dial(s, s.address, clickhouse.HTTP, clickhouse.CompressionLZ4)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	for _, kind := range append(types, declared(t)...) {
		if err := thereAndBack(t, s, conn, kind); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
}

// declared returns the types of the columns in the migrations that are not listed above.
func declared(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../schemas/migrations/*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	column := regexp.MustCompile(`(?m)^\s+\w+\s+((?:[A-Z]\w+)(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\))?)\s+(?:DEFAULT|COMMENT|CODEC)\b`)
	var found []string
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range column.FindAllStringSubmatch(string(text), -1) {
			if !slices.Contains(types, match[1]) && !slices.Contains(found, match[1]) {
				found = append(found, match[1])
			}
		}
	}
	return found
}

func thereAndBack(t *testing.T, s *server, conn clickhouse.Conn, kind string) error {
	t.Helper()
	const n = 3000
	ctx := t.Context()
	column := strings.ReplaceAll(kind, "'", `\'`)
	for _, table := range []string{"there", "back"} {
		s.run(t, "CREATE OR REPLACE TABLE "+table+" (before UInt64, x "+kind+", after UInt64) ENGINE = MergeTree ORDER BY before SETTINGS flatten_nested = 0",
			map[string][]string{"flatten_nested": {"0"}, "allow_suspicious_low_cardinality_types": {"1"}})
	}
	// A Go map keeps neither order nor duplicate keys.
	text, filter := "toString(x)", ""
	if strings.HasPrefix(kind, "Map(") {
		text, filter = "toString(mapSort(x))", "WHERE length(x) = length(arrayDistinct(mapKeys(x)))"
	}
	fill := "generateRandom('x " + column + "', 7, 20, 5)"
	if strings.HasPrefix(kind, "SimpleAggregateFunction") {
		fill = "(SELECT CAST(number, '" + column + "') AS x FROM numbers(3000))"
	}
	s.run(t, fmt.Sprintf("INSERT INTO there SELECT rowNumberInAllBlocks(), x, rowNumberInAllBlocks() + 7 FROM %s %s LIMIT %d", fill, filter, n),
		map[string][]string{"max_threads": {"1"}})

	result, err := conn.Query(ctx, "SELECT before, x, after FROM there")
	if err != nil {
		return err
	}
	defer func() { _ = result.Close() }()
	batch, err := conn.PrepareBatch(ctx, "INSERT INTO back (before, x, after)")
	if err != nil {
		return err
	}
	kinds := result.ColumnTypes()
	seen := 0
	for ; result.Next(); seen++ {
		var before, after uint64
		value := reflect.New(kinds[1].ScanType())
		if err := result.Scan(&before, value.Interface(), &after); err != nil {
			return err
		}
		if after != before+7 {
			return fmt.Errorf("row %d: the columns around it are %d and %d", seen, before, after)
		}
		if err := batch.Append(before, value.Elem().Interface(), after); err != nil {
			return err
		}
	}
	if err := result.Err(); err != nil || seen != n {
		return fmt.Errorf("%d rows of %d: %w", seen, n, err)
	}
	if err := batch.Send(); err != nil {
		return err
	}
	digest := "SELECT count(), sum(sipHash64(before, " + text + ", after)) FROM "
	there, back := s.run(t, digest+"there", nil), s.run(t, digest+"back", nil)
	if there != back || !strings.HasPrefix(there, fmt.Sprint(n)) {
		return fmt.Errorf("written back it is %s, not %s", back, there)
	}
	return nil
}

// TestTypesThatCannotBeFramed: the embedded server refuses them in newer protocol revisions and returns them in other
// formats. A real server returns them everywhere.
func TestTypesThatCannotBeFramed(t *testing.T) {
	s := start(t)
	if s.embedded == nil {
		t.Skip("only the embedded server refuses types")
	}
	for _, expression := range []string{"sumState(1)", "CAST('{\"a\":1}', 'JSON')", "1::Dynamic", "CAST(1, 'Variant(UInt8, String)')", "[quantileTDigestState(0.5)(1)]"} {
		params := map[string][]string{"client_protocol_version": {"54460"}}
		if _, _, err := s.fetch(s.address, "SELECT "+expression+" FORMAT Native", encodings[0], params); err == nil || !strings.Contains(err.Error(), "Code: 48") {
			t.Errorf("%s: %v, want code 48", expression, err)
		}
		if _, done, err := s.fetch(s.address, "SELECT "+expression+" FORMAT RowBinary", encodings[0], nil); err != nil {
			t.Errorf("%s as RowBinary: %v", expression, err)
		} else {
			done()
		}
	}
}
