// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/pierrec/lz4/v4"

	"tailrace.dev/warehouse/warehousetest"
)

const events = `CREATE TABLE events (id UInt64, host LowCardinality(String), at DateTime64(6, 'UTC'))
ENGINE = MergeTree PARTITION BY toYYYYMMDD(at) ORDER BY id SETTINGS non_replicated_deduplication_window = 1000`

const insertEvents = "INSERT INTO events (id, host, at)"

// eventRows selects n rows from an id on. They are of two days, so a block becomes two parts.
func eventRows(from, n int) string {
	return fmt.Sprintf(`SELECT number AS id, toLowCardinality(concat('h', toString(number %% 5))) AS host,
		toDateTime64('2026-01-01 23:59:59', 6, 'UTC') + toIntervalSecond(number %% 2) AS at FROM numbers(%d, %d)`, from, n)
}

func TestInsertStoresABlockOncePerToken(t *testing.T) {
	w := warehousetest.Start(t)
	w.Query(t, events)
	block := w.Block(t, eventRows(0, 65536))
	send := func(token string) {
		t.Helper()
		response := w.MustSend(t, warehousetest.Insert(insertEvents, token, block))
		if response.Status != 200 || len(response.Body) != 0 {
			t.Fatalf("insert %s: %d %s", token, response.Status, response.Body)
		}
	}
	count := func(want string) {
		t.Helper()
		if got := w.Query(t, "SELECT count(), sum(id), uniqExact(host), uniqExact(toDate(at)) FROM events"); got != want {
			t.Fatalf("stored %s, want %s", got, want)
		}
	}
	send("run/0/events/0")
	count("65536\t2147450880\t5\t2")
	send("run/0/events/0")
	count("65536\t2147450880\t5\t2")
	send("run/0/events/1")
	count("131072\t4294901760\t5\t2")
	w.Stop(t)
	w.Restart(t)
	send("run/0/events/1")
	count("131072\t4294901760\t5\t2")
}

func TestRefusedInsertStoresNothing(t *testing.T) {
	w := warehousetest.Start(t)
	w.Query(t, events)
	good := w.Block(t, eventRows(0, 1000))
	f := func(name, statement string, body []byte, wantCode string) {
		t.Helper()
		response := w.MustSend(t, warehousetest.Insert(statement, name, body))
		if response.Status == 200 || response.Code() != wantCode {
			t.Errorf("%s: status %d code %q, want code %s: %s", name, response.Status, response.Code(), wantCode, response.Body)
		}
		if got := w.Query(t, "SELECT count() FROM events"); got != "0" {
			t.Errorf("%s: %s rows stored", name, got)
		}
	}
	f("unknown column in the statement", "INSERT INTO events (id, nope)", good, "16")
	f("unknown column in the block", insertEvents, w.Block(t, "SELECT 1 AS id, 'h' AS nope"), "117")
	f("one column too many", insertEvents, w.Block(t, "SELECT *, 1 AS nope FROM ("+eventRows(0, 10)+")"), "117")
	f("text that is not a time", insertEvents, w.Block(t, "SELECT 1 AS id, 'h' AS host, 'yesterday' AS at"), "41")
	f("no Native", insertEvents, warehousetest.Compress(t, []byte("not a block")), "33")
	f("half a zstd frame", insertEvents, good[:len(good)/2], "271")
	f("no zstd", insertEvents, []byte("not a frame"), "271")
	f("half a block in a whole frame", insertEvents, warehousetest.Compress(t, []byte("\x01\x02\x02id\x06UInt64\x01")), "33")

	// A refused block may be sent again, corrected, under the same token.
	response := w.MustSend(t, warehousetest.Insert(insertEvents, "no zstd", good))
	if got := w.Query(t, "SELECT count() FROM events"); response.Status != 200 || got != "1000" {
		t.Errorf("the repaired block: status %d, %s rows", response.Status, got)
	}
}

func TestInsertForms(t *testing.T) {
	w := warehousetest.Start(t)
	w.Query(t, "CREATE TABLE t (a UInt32, b String DEFAULT 'd') ENGINE = MergeTree ORDER BY a")
	f := func(query, body, want string) {
		t.Helper()
		request := warehousetest.Request{Body: []byte(body)}
		if query != "" {
			request.Params = url.Values{"query": {query}}
		}
		if response := w.MustSend(t, request); response.Status != 200 {
			t.Errorf("?query=%s body %q: %d %s", query, body, response.Status, response.Body)
		}
		if got := w.Query(t, "SELECT a, b FROM t ORDER BY ALL"); got != want {
			t.Errorf("?query=%s body %q stored %q, want %q", query, body, got, want)
		}
		w.Query(t, "TRUNCATE TABLE t")
	}
	f("", "INSERT INTO t VALUES (1, 'x'), (2, 'y')", "1\tx\n2\ty")
	f("", "INSERT INTO t (a) VALUES (1);", "1\td")
	f("INSERT INTO t VALUES", "(1, 'x')", "1\tx")
	f("INSERT INTO t (a) FORMAT TSV", "1\n2\n", "1\td\n2\td")
	f("INSERT INTO t FORMAT TSV\n", "1\t\n", "1\t")
	f("", "INSERT INTO t FORMAT CSV\n1,\"x\"\n", "1\tx")
	f("", "INSERT INTO t FORMAT JSONEachRow {\"a\":1}\n{\"a\":2,\"b\":\"FORMAT CSV\"}", "1\td\n2\tFORMAT CSV")
	f("", "INSERT INTO t SETTINGS async_insert = 0 FORMAT TSV\n1\tx\n", "1\tx")
	f("", "/* FORMAT */ INSERT INTO TABLE t SELECT number, 's' FROM numbers(2)", "0\ts\n1\ts")
	f("", "INSERT INTO t (a, b) WITH 5 AS five SELECT five, 'w'", "5\tw")
	f("", "INSERT INTO t SELECT * FROM values('a UInt8, b String', (1, 'VALUES (2)'))", "1\tVALUES (2)")
	f("INSERT INTO t FORMAT TSV", "", "")
	f("", "INSERT INTO t VALUES "+strings.Repeat("(7, 'long'),", 100000)+"(7, 'long')", strings.Repeat("7\tlong\n", 100000)+"7\tlong")
}

func TestInsertEncodings(t *testing.T) {
	w := warehousetest.Start(t)
	w.Query(t, "CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a")
	data := []byte("1\n2\n3\n")
	var gz, l4 bytes.Buffer
	g := gzip.NewWriter(&gz)
	_, _ = g.Write(data)
	must(t, g.Close())
	l := lz4.NewWriter(&l4)
	_, _ = l.Write(data)
	must(t, l.Close())
	for encoding, body := range map[string][]byte{
		"": data, "gzip": gz.Bytes(), "lz4": l4.Bytes(), "zstd": warehousetest.Compress(t, data),
	} {
		response := w.MustSend(t, warehousetest.Request{
			Params: url.Values{"query": {"INSERT INTO t FORMAT TSV"}},
			Header: http.Header{"Content-Encoding": {encoding}}, Body: body,
		})
		if got := w.Query(t, "SELECT sum(a) FROM t"); response.Status != 200 || got != "6" {
			t.Errorf("%q: status %d, sum %s: %s", encoding, response.Status, got, response.Body)
		}
		w.Query(t, "TRUNCATE TABLE t")
	}
}
