// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tailrace.dev/warehouse/warehousetest"
)

func TestErrors(t *testing.T) {
	w := warehousetest.Start(t)
	w.Query(t, "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a")
	f := func(request warehousetest.Request, wantStatus, wantCode int) {
		t.Helper()
		response := w.MustSend(t, request)
		if response.Status != wantStatus || response.Code() != fmt.Sprint(wantCode) {
			t.Errorf("%s %v: status %d code %q, want %d and %d: %s",
				request.Body, request.Params, response.Status, response.Code(), wantStatus, wantCode, response.Body)
		}
		if want := fmt.Sprintf("Code: %d. DB::Exception: ", wantCode); !strings.HasPrefix(string(response.Body), want) {
			t.Errorf("%s: text %q does not begin with %q", request.Body, response.Body, want)
		}
	}
	sql := func(text string) warehousetest.Request { return warehousetest.Request{Body: []byte(text)} }
	with := func(text, name, value string) warehousetest.Request {
		return warehousetest.Request{Params: url.Values{name: {value}}, Body: []byte(text)}
	}
	f(sql("SELECT * FROM nope"), 404, 60)
	f(sql("SELECT nope"), 404, 47)
	f(sql("SELECT nope()"), 404, 46)
	f(sql("SELECT 1 FORMAT Nope"), 404, 73)
	f(sql("SELEC 1"), 400, 62)
	f(sql("nope"), 400, 62)
	f(sql(""), 400, 62)
	f(sql("SELECT 1; SELECT 2"), 400, 62)
	f(sql("SELECT throwIf(1)"), 500, 395)
	f(sql("SELECT 1 INTO OUTFILE '/tmp/nope'"), 500, 358)
	f(sql("INSERT INTO t FROM INFILE '/etc/hostname' FORMAT CSV"), 501, 48)
	f(sql("INSERT INTO nope VALUES (1)"), 404, 60)
	f(sql("INSERT INTO t (nope) VALUES (1)"), 500, 16)
	f(sql("INSERT INTO t FORMAT TSV\nx\n"), 400, 27)
	f(with("SELECT 1", "nosuchsetting", "1"), 404, 115)
	f(with("SELECT 1", "bad name", "1"), 400, 36)
	f(with("SELECT 1", "database", "nope"), 404, 81)
	f(with("SELECT {x:UInt8}", "param_x", "y"), 500, 457)
	f(with("SELECT sleepEachRow(1) FROM numbers(3)", "max_execution_time", "1"), 408, 159)
	f(with("SELECT number FROM numbers(1000) FORMAT JSON", "max_result_bytes", "100"), 500, 396)
	f(sql("SELECT 1 FORMAT `no such`"), 404, 73)
	f(warehousetest.Request{Method: http.MethodGet, Params: url.Values{"query": {"DROP TABLE t"}}}, 500, 164)
	f(warehousetest.Request{Header: http.Header{"Content-Encoding": {"snappy"}}, Body: []byte("SELECT 1")}, 501, 48)

	if got := w.Query(t, "SELECT count() FROM t"); got != "0" {
		t.Errorf("%s rows were stored by refused statements", got)
	}
}

func TestErrorAfterTheFirstRowsIsNeverACompleteAnswer(t *testing.T) {
	w := warehousetest.Start(t)
	for _, encoding := range []string{"", "gzip"} {
		for _, format := range []string{"TSV", "JSONEachRow", "RowBinary", "Native"} {
			request := warehousetest.Request{
				Params: url.Values{"max_threads": {"1"}, "max_block_size": {"10000"}, "enable_http_compression": {"1"}},
				Header: http.Header{"Accept-Encoding": {encoding}},
				Body:   []byte("SELECT throwIf(number = 500000, 'on purpose') FROM numbers(1000000) FORMAT " + format),
			}
			response := w.MustSend(t, request)
			if response.Status != 200 || response.Header.Get("Content-Encoding") != encoding {
				t.Fatalf("%s %s: the error came before the first row: %d %s", format, encoding, response.Status, response.Body)
			}
			if response.Err == nil {
				t.Errorf("%s %s: the answer of %d bytes looks complete", format, encoding, len(response.Body))
			}
			body := response.Body
			if encoding == "gzip" {
				body = gunzip(t, body)
			}
			tag := response.Header.Get("X-ClickHouse-Exception-Tag")
			tail := string(body[max(0, len(body)-1000):])
			if tag == "" || !strings.Contains(tail, "__exception__\r\n"+tag+"\r\nCode: 395. DB::Exception: on purpose") {
				t.Errorf("%s %s: the reason is not at the end: %q", format, encoding, tail)
			}
		}
	}
}

func TestErrorKeepsItsStatusWhenTheClientWaitsForTheEnd(t *testing.T) {
	w := warehousetest.Start(t)
	response := w.MustSend(t, warehousetest.Request{
		Params: url.Values{"wait_end_of_query": {"1"}, "max_block_size": {"10000"}},
		Body:   []byte("SELECT throwIf(number = 500000) FROM numbers(1000000)"),
	})
	if response.Status != 500 || response.Code() != "395" || response.Err != nil {
		t.Errorf("status %d code %q error %v", response.Status, response.Code(), response.Err)
	}
}
