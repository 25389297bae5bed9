// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"

	"tailrace.dev/warehouse/warehousetest"
)

// methods are compressions that clickhouse-go requests over HTTP.
var methods = []clickhouse.CompressionMethod{
	clickhouse.CompressionNone, clickhouse.CompressionLZ4, clickhouse.CompressionZSTD, clickhouse.CompressionGZIP,
}

func open(t *testing.T, w *warehousetest.Warehouse, method clickhouse.CompressionMethod) driver.Conn {
	t.Helper()
	conn, err := clickhouse.Open(&clickhouse.Options{
		Protocol:    clickhouse.HTTP,
		Addr:        []string{strings.TrimPrefix(w.URL, "http://")},
		Auth:        clickhouse.Auth{Username: w.User, Password: w.Password},
		Compression: &clickhouse.Compression{Method: method, Level: 1},
		Settings:    clickhouse.Settings{"enable_http_compression": 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

func TestClickHouseGoRoundTrip(t *testing.T) {
	w := warehousetest.Start(t)
	for _, method := range methods {
		conn := open(t, w, method)
		ctx := t.Context()
		if version, err := conn.ServerVersion(); err != nil || version.Version.Major < 26 {
			t.Fatalf("%v: hello: %v %v", method, version, err)
		}
		must(t, conn.Exec(ctx, "DROP TABLE IF EXISTS t"))
		must(t, conn.Exec(ctx, "CREATE TABLE t (id UInt64, s LowCardinality(String), at DateTime64(6, 'UTC')) ENGINE = MergeTree ORDER BY id"))
		batch, err := conn.PrepareBatch(ctx, "INSERT INTO t")
		must(t, err)
		const rows = 100_000
		at := time.UnixMicro(1_800_000_000_123_456).UTC()
		for i := range rows {
			must(t, batch.Append(uint64(i), fmt.Sprintf("s%d", i%300), at.Add(time.Duration(i)*time.Microsecond)))
		}
		must(t, batch.Send())

		result, err := conn.Query(ctx, "SELECT id, s, at FROM t ORDER BY id")
		must(t, err)
		seen := 0
		for ; result.Next(); seen++ {
			var id uint64
			var s string
			var when time.Time
			must(t, result.Scan(&id, &s, &when))
			if want := at.Add(time.Duration(seen) * time.Microsecond); id != uint64(seen) || s != fmt.Sprintf("s%d", seen%300) || !when.Equal(want) {
				t.Fatalf("%v: row %d came back as %d %s %s", method, seen, id, s, when)
			}
		}
		if err := result.Err(); err != nil || seen != rows {
			t.Errorf("%v: %d rows came back, want %d: %v", method, seen, rows, err)
		}
		var sum uint64
		must(t, conn.QueryRow(ctx, "SELECT sum(id) FROM t WHERE s = ? AND id > ?", "s1", 1).Scan(&sum))
		if want := uint64(16_683_633); sum != want {
			t.Errorf("%v: sum %d, want %d", method, sum, want)
		}
	}
}

// TestClickHouseGoTypes reads one column of every kind in the protocol revision of clickhouse-go, where the program must
// know where a column ends. The column behind it shows whether it does.
func TestClickHouseGoTypes(t *testing.T) {
	w := warehousetest.Start(t)
	conn := open(t, w, clickhouse.CompressionNone)
	f := func(expression string, want any) {
		t.Helper()
		got := reflect.New(reflect.TypeOf(want))
		var before, after uint64
		sql := "SELECT number AS before, " + expression + " AS x, number + 100 AS after FROM numbers(3) WHERE number >= 1 ORDER BY number DESC"
		if err := conn.QueryRow(t.Context(), sql).Scan(&before, got.Interface(), &after); err != nil {
			t.Errorf("%s: %v", expression, err)
			return
		}
		if !reflect.DeepEqual(got.Elem().Interface(), want) || before != 2 || after != 102 {
			t.Errorf("%s: %d %#v %d, want %#v", expression, before, got.Elem().Interface(), after, want)
		}
	}
	text := func(s string) *string { return &s }
	f("number > 1", uint8(1))
	f("toBool(number)", true)
	f("toInt8(-number)", int8(-2))
	f("toUInt16(number)", uint16(2))
	f("toInt32(number)", int32(2))
	f("toFloat32(number) / 4", float64(0.5))
	f("toFloat64(number)", float64(2))
	f("toString(number)", "2")
	f("repeat('long', 100 * number)", strings.Repeat("long", 200))
	f("toFixedString('abc', 5)", "abc\x00\x00")
	f("if(number = 1, NULL, toString(number))", text("2"))
	f("toLowCardinality(toString(number))", "2")
	f("CAST(if(number = 1, NULL, 'x'), 'LowCardinality(Nullable(String))')", text("x"))
	f("toDate('2026-01-02')::String", "2026-01-02")
	f("toDateTime64('2026-01-02 03:04:05.123456', 6, 'UTC')", time.Date(2026, 1, 2, 3, 4, 5, 123456000, time.UTC))
	f("range(number)", []uint64{0, 1})
	f("arrayMap(x -> toString(x), arraySlice(range(number), 3))", []string{})
	f("[['a'], ['b', 'c']]", [][]string{{"a"}, {"b", "c"}})
	f("arrayMap(x -> toLowCardinality(toString(x)), range(number))", []string{"0", "1"})
	f("map('k', number)", map[string]uint64{"k": 2})
	f("CAST(map('k', 'v'), 'Map(LowCardinality(String), String)')", map[string]string{"k": "v"})
	f("CAST(map('k', range(number)), 'Map(String, Array(UInt64))')", map[string][]uint64{"k": {0, 1}})
	f("tuple(number, 'b')", []any{uint64(2), "b"})
	f("CAST((number, 'b'), 'Tuple(first UInt64, second LowCardinality(String))')", map[string]any{"first": uint64(2), "second": "b"})
	f("CAST('b', 'Enum8(\\'a,(\\' = 1, \\'b\\' = 2)')", "b")
	f("toUUID('01234567-89ab-cdef-0123-456789abcdef')::String", "01234567-89ab-cdef-0123-456789abcdef")
	f("toIPv4('1.2.3.4')", netip.MustParseAddr("1.2.3.4"))
	f("toDecimal32(number, 2)::String", "2")
	f("(1.5, 2.5)::Point::String", "(1.5,2.5)")
	f("CAST(number, 'SimpleAggregateFunction(sum, UInt64)')", uint64(2))
}

func TestClickHouseGoErrors(t *testing.T) {
	w := warehousetest.Start(t)
	for _, method := range methods {
		conn := open(t, w, method)
		code := func(sql string) int32 {
			rows, err := conn.Query(t.Context(), sql)
			for more := err == nil; more; more = rows.Next() {
				err = rows.Err()
			}
			if err == nil {
				err = rows.Err()
			}
			if exception, ok := errors.AsType[*clickhouse.Exception](err); ok {
				return exception.Code
			}
			t.Errorf("%v: %s: no exception but %v", method, sql, err)
			return 0
		}
		if got := code("SELECT * FROM nope"); got != 60 {
			t.Errorf("%v: code %d, want 60", method, got)
		}
		if got := code("SELECT throwIf(number = 900000) FROM numbers(1000000) SETTINGS max_threads = 1, max_block_size = 10000"); got != 395 {
			t.Errorf("%v: error in the middle: code %d, want 395", method, got)
		}
		if got := code("SELECT sumState(1)"); got != 48 {
			t.Errorf("%v: a type that cannot be framed: code %d, want 48", method, got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		rows, err := conn.Query(ctx, endlessRows)
		must(t, err)
		rows.Next()
		cancel()
		waitFor(t, w, "0", "the cancelled query")
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
