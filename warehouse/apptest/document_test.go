// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"testing"

	"tailrace.dev/warehouse/warehousetest"
)

// TestLargeDocumentTakesBoundedMemory reads half a gigabyte of JSON from a server of 400 MiB.
func TestLargeDocumentTakesBoundedMemory(t *testing.T) {
	w := warehousetest.Start(t, "--max-memory", "400MiB")
	before := w.PeakMemory(t)
	for _, params := range []url.Values{{}, {"wait_end_of_query": {"1"}}} {
		const rows = 5_000_000
		request, _ := http.NewRequest(http.MethodPost, w.URL+"/?"+params.Encode(),
			strings.NewReader("SELECT number AS a_name_that_makes_the_answer_long, number AS b FROM numbers(5000000) FORMAT JSON"))
		request.SetBasicAuth(w.User, w.Password)
		response, err := http.DefaultClient.Do(request)
		must(t, err)
		lines, last := 0, ""
		scanner := bufio.NewScanner(response.Body)
		for scanner.Scan() {
			if strings.HasPrefix(scanner.Text(), "\t\t{") {
				lines++
			}
			last = scanner.Text()
		}
		_ = response.Body.Close()
		if lines != rows+2 || scanner.Err() != nil || last != "}" {
			t.Errorf("%v: %d objects, last line %q, %v", params, lines, last, scanner.Err())
		}
	}
	if grown := w.PeakMemory(t) - before; grown > 300<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
	files, err := os.ReadDir(w.Dir + "/answers")
	if err != nil || len(files) != 0 {
		t.Errorf("left behind: %v %v", files, err)
	}
}

func TestAnswerKeptBackHasALimit(t *testing.T) {
	w := warehousetest.Start(t, "--max-answer", "2MiB")
	for _, format := range []string{"TSV", "JSON"} {
		request := warehousetest.Request{
			Params: url.Values{"wait_end_of_query": {"1"}}, Body: []byte("SELECT number FROM numbers(1000000) FORMAT " + format),
		}
		if got := w.MustSend(t, request); got.Code() != "396" || got.Status != 500 {
			t.Errorf("%s: %d %.200s", format, got.Status, got.Body)
		}
		request.Params = nil
		if got := w.MustSend(t, request); got.Status != 200 || got.Err != nil || len(got.Body) < 4<<20 {
			t.Errorf("%s without waiting: %d %v, %d bytes", format, got.Status, got.Err, len(got.Body))
		}
	}
}

// TestHeavyQueriesStayUnderTheCap runs several queries at a time that could use all the memory.
func TestHeavyQueriesStayUnderTheCap(t *testing.T) {
	w := warehousetest.Start(t, "--max-memory", "500MiB")
	before := w.PeakMemory(t)
	done := make(chan warehousetest.Response)
	queries := []string{
		"SELECT length(groupArray(number)) FROM numbers(1000000000)",
		"SELECT number, repeat('x', 1000) FROM numbers(1000000) FORMAT JSONColumns",
		"SELECT count() FROM (SELECT repeat('x', 1000000) AS s FROM numbers(3000) ORDER BY sipHash64(s) LIMIT 2500) FORMAT JSON",
		"SELECT repeat('x', 100000) FROM numbers(5000) FORMAT Parquet",
	}
	for _, sql := range queries {
		go func() {
			response, _ := w.Send(warehousetest.Request{Body: []byte(sql)})
			done <- response
		}()
	}
	for range queries {
		if got := <-done; got.Status == 200 && got.Err == nil && got.Code() != "" {
			t.Errorf("an error in a complete answer: %.200s", got.Body)
		}
	}
	if grown := w.PeakMemory(t) - before; grown > 600<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
	if got := w.Query(t, "SELECT 1"); got != "1" {
		t.Errorf("afterwards: %s", got)
	}
}

// TestQueriesOverHTTP10AreRefused: without chunks a client cannot distinguish a broken answer from a complete one.
func TestQueriesOverHTTP10AreRefused(t *testing.T) {
	w := warehousetest.Start(t)
	f := func(request string, want int) {
		t.Helper()
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
		must(t, err)
		defer func() { _ = conn.Close() }()
		_, err = io.WriteString(conn, request)
		must(t, err)
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		must(t, err)
		defer func() { _ = response.Body.Close() }()
		if body := readAll(t, response.Body); response.StatusCode != want {
			t.Errorf("%q: status %d, want %d: %.200s", request, response.StatusCode, want, body)
		}
	}
	f("GET /ping HTTP/1.0\r\n\r\n", http.StatusOK)
	f("POST /?user="+w.User+"&password="+w.Password+" HTTP/1.0\r\nContent-Length: 8\r\n\r\nSELECT 1", http.StatusHTTPVersionNotSupported)
}

// TestRowsWithoutBytesDoNotEndAnAnswer: the engine's empty chunk means the end of a stream.
func TestRowsWithoutBytesDoNotEndAnAnswer(t *testing.T) {
	w := warehousetest.Start(t)
	sql := "SELECT if(number < 200000, '', 'x') FROM numbers(300000) FORMAT RawBLOB"
	if got := w.Query(t, sql); len(got) != 100000 {
		t.Errorf("%d bytes, want 100000", len(got))
	}
	response := w.MustSend(t, warehousetest.Request{Body: []byte("SELECT throwIf(number = 900000)::String FROM numbers(1000000) FORMAT Null")})
	if response.Status == 200 && response.Err == nil {
		t.Error("an error behind rows without bytes was swallowed")
	}
}

// TestRowsInOneArray: a setting makes one document of a format of independent rows.
func TestRowsInOneArray(t *testing.T) {
	w := warehousetest.Start(t)
	const sql = "SELECT number FROM numbers(200000) FORMAT JSONEachRow"
	f := func(sql string, params url.Values) {
		t.Helper()
		body := string(w.MustSend(t, warehousetest.Request{Params: params, Body: []byte(sql)}).Body)
		if strings.Count(body, "[") != 1 || strings.Count(body, "},") != 199999 || !strings.HasSuffix(body, "]\n") {
			t.Errorf("%s %v: %.40s … %s", sql, params, body, body[max(0, len(body)-40):])
		}
	}
	f(sql, url.Values{"output_format_json_array_of_rows": {"1"}})
	f(strings.Replace(sql, "FORMAT", "SETTINGS output_format_json_array_of_rows = 1 FORMAT", 1), nil)
	session := url.Values{"session_id": {"s"}}
	w.MustSend(t, warehousetest.Request{Params: session, Body: []byte("SET output_format_json_array_of_rows = 1")})
	f(sql, session)
}
