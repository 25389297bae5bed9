// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestErrorsKeepCodeStatusAndText(t *testing.T) {
	s := start(t)
	s.run(t, "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a", nil)
	f := func(sql, code string, status int, params url.Values) {
		t.Helper()
		for _, e := range encodings {
			all, header := url.Values{}, http.Header{}
			maps.Copy(all, params)
			e.ask(all, header)
			request := s.request(t.Context(), s.address, all, strings.NewReader(sql))
			maps.Copy(request.Header, header)
			response, err := client.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			if got := response.Header.Get("X-ClickHouse-Exception-Code"); got != code || response.StatusCode != status {
				t.Errorf("%s, %s: status %d, code %q, want %d and %s", sql, e.name, response.StatusCode, got, status, code)
			}
			if e.name == "plain" {
				text, _ := io.ReadAll(response.Body)
				if !strings.HasPrefix(string(text), "Code: "+code+". DB::Exception: ") || strings.Count(string(text), "Code: ") > 1 {
					t.Errorf("%s: text %.300s", sql, text)
				}
			}
			_ = response.Body.Close()
		}
	}
	f("SELECT * FROM nope", "60", 404, nil)
	f("SELECT nope", "47", 404, nil)
	f("SELECT nope()", "46", 404, nil)
	f("SELEC 1", "62", 400, nil)
	f("SELECT throwIf(1)", "395", 500, nil)
	f("SELECT throwIf(1) FORMAT JSON", "395", 500, nil)
	f("SELECT 1 FORMAT Nope", "73", 404, nil)
	f("INSERT INTO t FORMAT TSV\nx\n", "27", 400, nil)
	f("SELECT 1", "115", 404, url.Values{"no_such_setting": {"1"}})
	f("SELECT 1", "81", 404, url.Values{"database": {"no_such_database"}})
	f("SELECT {x:UInt8}", "457", 500, url.Values{"param_x": {"y"}})
	f("SELECT number FROM numbers(100000) FORMAT JSON", "396", 500, url.Values{"max_result_rows": {"10"}})
	f("SELECT throwIf(number = 900000) FROM numbers(1000000)", "395", 500, url.Values{"wait_end_of_query": {"1"}})
}

// TestErrorInMidStreamIsNeverACleanAnswer: the error comes after the first rows.
func TestErrorInMidStreamIsNeverACleanAnswer(t *testing.T) {
	s := start(t)
	begun, tried := 0, 0
	for at, format := range formats {
		for _, e := range append(plan(at, 1_000_000), encodings[0]) {
			tried++
			params := url.Values{"max_threads": {"1"}, "max_block_size": {"10000"}}
			sql := "SELECT number, throwIf(number = 900000, 'on purpose') AS x FROM numbers(1000000) FORMAT " + format
			body, done, err := s.fetch(s.address, sql, e, params)
			if err != nil {
				if !strings.Contains(err.Error(), "Code: 395") && e.name == "plain" {
					t.Errorf("%s, %s: %v", format, e.name, err)
				}
				continue
			}
			begun++
			text, err := io.ReadAll(body)
			done()
			if err == nil {
				t.Errorf("%s, %s: an answer of %d bytes looks complete", format, e.name, len(text))
			}
			if tail := string(text[max(0, len(text)-2000):]); e.name == "plain" && !strings.Contains(tail, "Code: 395. DB::Exception: on purpose") {
				t.Errorf("%s: the reason is not at the end: %q", format, tail)
			}
		}
	}
	if begun < tried/2 {
		t.Errorf("only %d of %d answers had begun when the error came: the test has shown little", begun, tried)
	}
}
