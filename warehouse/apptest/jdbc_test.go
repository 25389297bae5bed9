// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/ClickHouse/ch-go/compress"

	"tailrace.dev/warehouse/warehousetest"
)

// jdbc is a request as clickhouse-jdbc 0.9.2 sends it, recorded from the driver: the output format and the database
// are in headers, the query id is in both places, and the answer comes in ClickHouse's own compressed frames.
func jdbc(id, sql string) warehousetest.Request {
	return warehousetest.Request{
		Params: url.Values{"query_id": {id}, "compress": {"1"}, "async_insert": {"0"}, "wait_end_of_query": {"0"}},
		Header: http.Header{
			"Content-Type": {"text/plain"}, "Accept-Encoding": {"gzip, x-gzip, deflate"},
			"X-Clickhouse-Format":   {"RowBinaryWithNamesAndTypes"},
			"X-Clickhouse-Database": {"system"}, "X-Clickhouse-Query-Id": {id},
		},
		Body: []byte(sql),
	}
}

func TestRequestsOfTheJDBCDriver(t *testing.T) {
	w := warehousetest.Start(t)
	response := w.MustSend(t, jdbc("q1", "SELECT currentDatabase() AS db"))
	answer, _ := io.ReadAll(compress.NewReader(bytes.NewReader(response.Body))) // its end is an error of the reader
	if want := "\x01\x02db\x06String\x06system"; response.Status != 200 || string(answer) != want {
		t.Errorf("status %d, answer %q, want %q", response.Status, answer, want)
	}
	for name, want := range map[string]string{"X-ClickHouse-Query-Id": "q1", "X-ClickHouse-Format": "RowBinaryWithNamesAndTypes"} {
		if got := response.Header.Get(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if response = w.MustSend(t, jdbc("q2", "SELECT * FROM nope")); response.Status != 404 || response.Code() != "60" {
		t.Errorf("an unknown table: %d, code %q", response.Status, response.Code())
	}
	ended := make(chan warehousetest.Response, 1)
	go func() {
		response, _ := w.Send(jdbc("q3", strings.TrimSuffix(endlessSilent, " FORMAT JSON")))
		ended <- response
	}()
	waitFor(t, w, "1", "the query to cancel")
	w.MustSend(t, jdbc("q4", "KILL QUERY WHERE query_id = 'q3'"))
	if response = <-ended; response.Code() != "394" {
		t.Errorf("a cancelled statement: %d, code %q", response.Status, response.Code())
	}
}
