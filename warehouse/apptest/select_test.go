// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"tailrace.dev/warehouse/warehousetest"
)

func TestFormats(t *testing.T) {
	w := warehousetest.Start(t)
	const rows = "SELECT number AS n, concat('r', toString(number)) AS s FROM numbers(2) "
	f := func(sql, defaultFormat, wantType, want string) {
		t.Helper()
		request := warehousetest.Request{Body: []byte(sql)}
		if defaultFormat != "" {
			request.Params = url.Values{"default_format": {defaultFormat}}
		}
		response := w.MustSend(t, request)
		body := string(response.Body)
		if response.Status != 200 || body != want {
			t.Errorf("%s (%s): status %d, answer %q, want %q", sql, defaultFormat, response.Status, body, want)
		}
		if got := response.Header.Get("Content-Type"); got != wantType {
			t.Errorf("%s (%s): Content-Type %q, want %q", sql, defaultFormat, got, wantType)
		}
	}
	const tsv, ndjson = "text/tab-separated-values; charset=UTF-8", "application/x-ndjson; charset=UTF-8"
	f(rows, "", tsv, "0\tr0\n1\tr1\n")
	f(rows+"FORMAT TSV", "CSV", tsv, "0\tr0\n1\tr1\n")
	f(rows+"FORMAT TSV;", "", tsv, "0\tr0\n1\tr1\n")
	f(rows+"FORMAT TabSeparatedWithNames", "", tsv, "n\ts\n0\tr0\n1\tr1\n")
	f(rows, "CSV", "text/csv; charset=UTF-8; header=absent", "0,\"r0\"\n1,\"r1\"\n")
	f(rows, "CSVWithNames", "text/csv; charset=UTF-8; header=present", "\"n\",\"s\"\n0,\"r0\"\n1,\"r1\"\n")
	f(rows, "JSONEachRow", ndjson, "{\"n\":0,\"s\":\"r0\"}\n{\"n\":1,\"s\":\"r1\"}\n")
	f(rows+"-- a comment FORMAT JSON\n FORMAT JSONCompactEachRow", "", ndjson, "[0, \"r0\"]\n[1, \"r1\"]\n")
	f(rows, "Native", "application/octet-stream", "\x02\x02\x01n\x06UInt64"+"\x00\x00\x00\x00\x00\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00"+"\x01s\x06String\x02r0\x02r1")
	f(rows, "RowBinary", "application/octet-stream", "\x00\x00\x00\x00\x00\x00\x00\x00\x02r0\x01\x00\x00\x00\x00\x00\x00\x00\x02r1")
	f("SELECT 1 WHERE 0", "", tsv, "")
	f("SELECT 1 AS x WHERE 0", "CSVWithNames", "text/csv; charset=UTF-8; header=present", "\"x\"\n")
	f("WITH 2 AS x SELECT x * 3", "", tsv, "6\n")
	f("(SELECT 1) UNION ALL (SELECT 1)", "", tsv, "1\n1\n")
	f("SELECT number % 2 AS k, count() FROM numbers(4) GROUP BY k WITH TOTALS ORDER BY k", "", tsv, "0\t2\n1\t2\n\n0\t4\n")
	f("EXISTS TABLE nope", "", tsv, "0\n")

	json := w.MustSend(t, warehousetest.Request{Body: []byte("SELECT number FROM numbers(200000) FORMAT JSON")})
	if got := strings.Count(string(json.Body), `"meta"`); got != 1 || !strings.Contains(string(json.Body), `"rows": 200000`) {
		t.Errorf("JSON of many blocks must be one document; it has %d heads", got)
	}
}

func TestQueryMayComeInURLOrBody(t *testing.T) {
	w := warehousetest.Start(t)
	f := func(method, query, body, want string) {
		t.Helper()
		request := warehousetest.Request{Method: method, Body: []byte(body)}
		if query != "" {
			request.Params = url.Values{"query": {query}}
		}
		response := w.MustSend(t, request)
		if response.Status != 200 || string(response.Body) != want {
			t.Errorf("%s ?query=%s body %q: %d %q, want %q", method, query, body, response.Status, response.Body, want)
		}
	}
	f("GET", "SELECT 1", "", "1\n")
	f("POST", "SELECT 1", "", "1\n")
	f("POST", "", "SELECT 1", "1\n")
	f("POST", "SELECT", "1", "1\n")
	f("POST", "SELECT 1 -- no line end", ", 2", "1\t2\n")
}

func TestParametersAndSettings(t *testing.T) {
	w := warehousetest.Start(t)
	f := func(sql string, params url.Values, want string) {
		t.Helper()
		response := w.MustSend(t, warehousetest.Request{Params: params, Body: []byte(sql)})
		if response.Status != 200 || string(response.Body) != want+"\n" {
			t.Errorf("%s %v: %d %q, want %q", sql, params, response.Status, response.Body, want)
		}
	}
	f("SELECT {n:UInt8} + 1", url.Values{"param_n": {"4"}}, "5")
	f("SELECT {s:String}", url.Values{"param_s": {"'; DROP TABLE t; --"}}, `\'; DROP TABLE t; --`)
	f("SELECT {s:String} = 'a\\nb'", url.Values{"param_s": {`a\nb`}}, "1")
	f("SELECT {a:Array(String)}[2]", url.Values{"param_a": {"['x','y']"}}, "y")
	f("SELECT name FROM (SELECT 1 AS name) AS {t:Identifier}", url.Values{"param_t": {"z"}}, "1")
	f("SELECT getSetting('max_threads')", url.Values{"max_threads": {"1"}}, "1")
	f("SELECT getSetting('max_threads')", nil, "2")
	f("SELECT getSetting('log_comment') LIKE 'it''s mine%'", url.Values{"log_comment": {"it's mine"}}, "1")
	f("SELECT currentDatabase()", url.Values{"database": {"system"}}, "system")
	f("SELECT currentDatabase()", nil, "default")
}

// TestForms: clickhouse-connect and clickhouse-jdbc send long parameters so. A file in a form is an external table.
func TestForms(t *testing.T) {
	w := warehousetest.Start(t)
	send := func(field string) warehousetest.Response {
		t.Helper()
		form := "--b\r\nContent-Disposition: form-data; name=\"query\"\r\n\r\nSELECT {n:UInt8}\r\n" +
			"--b\r\nContent-Disposition: form-data; " + field + "\r\n\r\n7\r\n--b--\r\n"
		return w.MustSend(t, warehousetest.Request{
			Header: http.Header{"Content-Type": {"multipart/form-data; boundary=b"}}, Body: []byte(form),
		})
	}
	if got := send(`name="param_n"`); string(got.Body) != "7\n" {
		t.Errorf("query in a form: %d %q", got.Status, got.Body)
	}
	if got := send(`name="ext"; filename="ext"`); got.Status != 501 || got.Code() != "48" {
		t.Errorf("an external table: %d %q", got.Status, got.Body)
	}
}

func TestTimeZoneIsUTCWhateverTheHostSays(t *testing.T) {
	t.Setenv("TZ", "America/New_York")
	w := warehousetest.Start(t)
	if got := w.Query(t, "SELECT timezone(), toDateTime(0), toUnixTimestamp('1970-01-02 00:00:00')"); got != "UTC\t1970-01-01 00:00:00\t86400" {
		t.Errorf("time zone: %s", got)
	}
}

func TestAnswerHeaders(t *testing.T) {
	w := warehousetest.Start(t)
	response := w.MustSend(t, warehousetest.Request{Params: url.Values{"query_id": {"mine"}}, Body: []byte("SELECT * FROM numbers(7) FORMAT CSV")})
	for name, want := range map[string]string{
		"X-ClickHouse-Query-Id": "mine", "X-ClickHouse-Format": "CSV", "X-ClickHouse-Timezone": "UTC",
	} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got := response.Header.Get("X-ClickHouse-Summary"); !strings.Contains(got, `"read_rows":"7"`) {
		t.Errorf("summary %s", got)
	}
}

func TestCompressedAnswers(t *testing.T) {
	w := warehousetest.Start(t)
	want := w.Query(t, "SELECT number FROM numbers(300000)") + "\n"
	f := func(accept, wantEncoding string, decode func([]byte) []byte) {
		t.Helper()
		response := w.MustSend(t, warehousetest.Request{
			Params: url.Values{"enable_http_compression": {"1"}},
			Header: http.Header{"Accept-Encoding": {accept}},
			Body:   []byte("SELECT number FROM numbers(300000)"),
		})
		if got := response.Header.Get("Content-Encoding"); got != wantEncoding {
			t.Fatalf("%s: Content-Encoding %q, want %q", accept, got, wantEncoding)
		}
		if response.Err != nil || string(decode(response.Body)) != want {
			t.Errorf("%s: the answer differs from the plain one (%v)", accept, response.Err)
		}
	}
	f("identity", "", func(b []byte) []byte { return b })
	f("snappy", "", func(b []byte) []byte { return b })
	f("br", "br", func(b []byte) []byte { return readAll(t, brotli.NewReader(bytes.NewReader(b))) })
	f("deflate", "deflate", func(b []byte) []byte {
		z, err := zlib.NewReader(bytes.NewReader(b))
		must(t, err)
		return readAll(t, z)
	})
	f("gzip", "gzip", func(b []byte) []byte { return gunzip(t, b) })
	f("snappy, zstd;q=0.5, gzip", "zstd", func(b []byte) []byte {
		d, _ := zstd.NewReader(nil)
		out, err := d.DecodeAll(b, nil)
		if err != nil {
			t.Error(err)
		}
		return out
	})
	f("lz4", "lz4", func(b []byte) []byte { return readAll(t, lz4.NewReader(bytes.NewReader(b))) })
}

// gunzip reads what there is of a gzip stream, also when it was broken off.
func gunzip(t *testing.T, data []byte) []byte {
	t.Helper()
	reader, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	out, _ := io.ReadAll(reader)
	return out
}

func readAll(t *testing.T, r io.Reader) []byte {
	t.Helper()
	out, err := io.ReadAll(r)
	if err != nil {
		t.Error(err)
	}
	return out
}
