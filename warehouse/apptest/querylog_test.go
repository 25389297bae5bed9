// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"net/url"
	"strings"
	"testing"

	"tailrace.dev/warehouse/warehousetest"
)

func TestQueryLog(t *testing.T) {
	w := warehousetest.Start(t)
	with := func(id, sql string) {
		w.MustSend(t, warehousetest.Request{Params: url.Values{"query_id": {id}, "log_comment": {"why"}}, Body: []byte(sql)})
	}
	w.Query(t, "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a")
	with("ins", "INSERT INTO t VALUES (1), (2)")
	with("sel", "SELECT a FROM t FORMAT JSON")
	with("bad", "SELECT throwIf(1)")
	w.MustSend(t, warehousetest.Request{Params: url.Values{"query_id": {"off"}, "log_queries": {"0"}}, Body: []byte("SELECT 1")})
	check := func() {
		t.Helper()
		got := w.Query(t, `SELECT query_id, type, user, query_kind, exception_code, read_rows, written_rows, result_rows, log_comment, query
			FROM system.query_log WHERE query_id IN ('ins', 'sel', 'bad', 'off') ORDER BY event_time_microseconds`)
		want := strings.Join([]string{
			"ins\tQueryFinish\ttester\tInsert\t0\t0\t2\t0\twhy\tINSERT INTO t ",
			"sel\tQueryFinish\ttester\tSelect\t0\t2\t0\t2\twhy\tSELECT a FROM t FORMAT JSON",
			"bad\tExceptionWhileProcessing\ttester\tSelect\t395\t0\t0\t0\twhy\tSELECT throwIf(1)",
		}, "\n")
		if got != want {
			t.Errorf("query log:\n%s\nwant:\n%s", got, want)
		}
	}
	w.Query(t, "SYSTEM FLUSH LOGS")
	check()
	w.Stop(t)
	w.Restart(t)
	check()
	if got := w.Query(t, "SELECT count() FROM system.query_log WHERE abs(dateDiff('second', event_time, now())) > 300"); got != "0" {
		t.Errorf("%s entries are of another time", got)
	}
}

func TestKillQueryByItsID(t *testing.T) {
	w := warehousetest.Start(t)
	for _, sql := range []string{endlessRows, endlessSilent} {
		request := warehousetest.Request{Params: url.Values{"query_id": {"it's mine"}}, Body: []byte(sql)}
		ended := make(chan warehousetest.Response, 1)
		go func() {
			response, _ := w.Send(request)
			ended <- response
		}()
		waitFor(t, w, "1", sql)
		if got := w.MustSend(t, request); got.Code() != "216" {
			t.Errorf("a second query of the same id: %d %s", got.Status, got.Body)
		}
		w.Query(t, `KILL QUERY WHERE query_id = 'it\'s mine' AND user = 'another' ASYNC`)
		w.Query(t, `KILL QUERY WHERE query_id = 'it\'s mine' AND user = 'tester' ASYNC`)
		response := <-ended
		brokenOff := response.Err != nil && strings.Contains(string(response.Body), "Code: 394.")
		if response.Code() != "394" && !brokenOff {
			t.Errorf("%s: status %d, error %v, %d bytes", sql, response.Status, response.Err, len(response.Body))
		}
		waitFor(t, w, "0", sql)
	}
}
