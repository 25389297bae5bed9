// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tailrace.dev/warehouse/warehousetest"
)

func TestSession(t *testing.T) {
	w := warehousetest.Start(t)
	in := func(session, sql string, settings ...string) warehousetest.Response {
		t.Helper()
		params := url.Values{"session_id": {session}}
		for i := 0; i < len(settings); i += 2 {
			params.Set(settings[i], settings[i+1])
		}
		return w.MustSend(t, warehousetest.Request{Params: params, Body: []byte(sql)})
	}
	f := func(session, sql, want string, settings ...string) {
		t.Helper()
		if got := string(in(session, sql, settings...).Body); got != want {
			t.Errorf("%s: %s %v: %q, want %q", session, sql, settings, got, want)
		}
	}
	f("a", "CREATE TEMPORARY TABLE tt (x UInt8)", "")
	f("a", "INSERT INTO tt VALUES (1), (2)", "")
	f("a", "SELECT sum(x) FROM tt", "3\n")
	f("a", "SET max_block_size = 77", "")
	f("a", "SELECT getSetting('max_block_size')", "77\n")
	f("a", "SELECT getSetting('max_threads')", "1\n", "max_threads", "1")
	f("a", "SELECT getSetting('max_threads')", "2\n")
	f("a", "SELECT getSetting('max_block_size')", "77\n")
	if got := in("b", "SELECT sum(x) FROM tt"); got.Code() != "60" {
		t.Errorf("another session sees the temporary table: %s", got.Body)
	}
	if got := in("c", "SELECT 1", "session_check", "1"); got.Code() != "372" {
		t.Errorf("a missing session: %s", got.Body)
	}
	if got := in("c", "SELECT 1", "session_timeout", "0"); got.Code() != "36" {
		t.Errorf("a session without time: %s", got.Body)
	}
}

func TestSessionSurvivesItsErrors(t *testing.T) {
	w := warehousetest.Start(t)
	params := url.Values{"session_id": {"s"}}
	send := func(sql string) warehousetest.Response {
		t.Helper()
		return w.MustSend(t, warehousetest.Request{Params: params, Body: []byte(sql)})
	}
	send("CREATE TEMPORARY TABLE tt (x UInt8)")
	for _, bad := range []string{
		"INSERT INTO tt FORMAT TSV\nno number\n",
		"SELECT nope",
		"SELECT throwIf(number = 500000) FROM numbers(1000000) SETTINGS max_block_size = 10000, max_threads = 1",
	} {
		if response := send(bad); response.Code() == "" && response.Err == nil {
			t.Errorf("%s: no error", bad)
		}
		if response := send("SELECT count() FROM tt"); string(response.Body) != "0\n" {
			t.Errorf("after %s: %d %s", bad, response.Status, response.Body)
		}
	}

	ctx, cancel := context.WithCancel(t.Context())
	request, _ := http.NewRequestWithContext(ctx, http.MethodPost, w.URL+"/?session_id=s", strings.NewReader(endlessRows))
	request.SetBasicAuth(w.User, w.Password)
	response, err := http.DefaultClient.Do(request)
	must(t, err)
	cancel()
	_ = response.Body.Close()
	waitFor(t, w, "0", endlessRows)
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		response := send("SELECT count() FROM tt")
		if string(response.Body) == "0\n" {
			return
		}
		if response.Code() != "373" || time.Now().After(deadline) {
			t.Fatalf("after a client went away: %d %s", response.Status, response.Body)
		}
	}
}

func TestSessionRunsOneQueryAtATime(t *testing.T) {
	w := warehousetest.Start(t)
	params := url.Values{"session_id": {"s"}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = w.Send(warehousetest.Request{Params: params, Body: []byte("SELECT sleepEachRow(0.1) FROM numbers(20) /* endless */")})
	}()
	waitFor(t, w, "1", "the session")
	if got := w.MustSend(t, warehousetest.Request{Params: params, Body: []byte("SELECT 1")}); got.Code() != "373" {
		t.Errorf("a second query in a busy session: %d %s", got.Status, got.Body)
	}
	<-done
}

func TestSessionExpires(t *testing.T) {
	w := warehousetest.Start(t)
	params := url.Values{"session_id": {"s"}, "session_timeout": {"1"}}
	w.MustSend(t, warehousetest.Request{Params: params, Body: []byte("SELECT 1")})
	check := url.Values{"session_id": {"s"}, "session_check": {"1"}, "session_timeout": {"1"}}
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(2 * time.Second) {
		response := w.MustSend(t, warehousetest.Request{Params: check, Body: []byte("SELECT 1")})
		if response.Code() == "372" && strings.Contains(string(response.Body), "SESSION_NOT_FOUND") {
			return
		}
		if response.Status != http.StatusOK || time.Now().After(deadline) {
			t.Fatalf("the session has not expired: %d %s", response.Status, response.Body)
		}
	}
}
