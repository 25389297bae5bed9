// SPDX-License-Identifier: Apache-2.0

package apptest

import (
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
		t.Errorf("a session that is not there: %s", got.Body)
	}
	if got := in("c", "SELECT 1", "session_timeout", "0"); got.Code() != "36" {
		t.Errorf("a session of no time: %s", got.Body)
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
