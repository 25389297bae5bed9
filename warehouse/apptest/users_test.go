// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"testing"

	"tailrace.dev/warehouse/warehousetest"
)

const usersFile = `users:
  reader: {password: r, read_only: true, max_memory: 400MiB, max_execution_time: 2}
  writer: {password: w, max_memory: 300MiB}
`

func startWithUsers(t *testing.T) (*warehousetest.Warehouse, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "users.yaml")
	must(t, os.WriteFile(path, []byte(usersFile), 0o600))
	w := warehousetest.Start(t, "--users", path)
	w.Query(t, "CREATE TABLE t (a UInt8) ENGINE = MergeTree ORDER BY a")
	return w, path
}

func as(user, password, sql string, settings ...string) warehousetest.Request {
	params := url.Values{}
	for i := 0; i < len(settings); i += 2 {
		params.Set(settings[i], settings[i+1])
	}
	header := http.Header{"Authorization": nil, "X-Clickhouse-User": {user}, "X-Clickhouse-Key": {password}}
	return warehousetest.Request{Params: params, Header: header, Body: []byte(sql)}
}

func TestReadOnlyUserChangesNothing(t *testing.T) {
	w, _ := startWithUsers(t)
	refused := func(code, sql string, settings ...string) {
		t.Helper()
		if got := w.MustSend(t, as("reader", "r", sql, settings...)); got.Code() != code {
			t.Errorf("%s %v: %d %q, want code %s", sql, settings, got.Status, got.Body, code)
		}
	}
	allowed := func(want, sql string, settings ...string) {
		t.Helper()
		if got := w.MustSend(t, as("reader", "r", sql, settings...)); string(got.Body) != want+"\n" {
			t.Errorf("%s %v: %d %q, want %q", sql, settings, got.Status, got.Body, want)
		}
	}
	const file = "('/etc/hostname', 'LineAsString')"
	refused("164", "INSERT INTO t VALUES (1)")
	refused("164", "INSERT INTO t VALUES (1)", "readonly", "0")
	refused("164", "INSERT INTO t VALUES (1)", "session_id", "s")
	refused("164", "INSERT INTO t SELECT 1")
	refused("164", "DROP TABLE t")
	refused("164", "CREATE TEMPORARY TABLE x (a UInt8)")
	refused("164", "SET max_threads = 1")
	refused("164", "KILL QUERY WHERE 1")
	refused("164", "SYSTEM FLUSH LOGS")
	refused("164", "SELECT 1 SETTINGS max_threads = 1")
	refused("497", "SELECT file('/etc/hostname')")
	refused("497", "SELECT `file` ('/etc/hostname')")
	refused("497", "SELECT `fi\\x6ce`('/etc/hostname')")
	refused("497", "SELECT * FROM file"+file)
	refused("497", "DESCRIBE file"+file)
	refused("497", "SELECT * FROM url('http://127.0.0.1:1/', 'LineAsString')")
	refused("358", "SELECT 1 INTO OUTFILE '/tmp/nope'")
	allowed("1", "SELECT 1")
	allowed("t", "SHOW TABLES")
	allowed("1", "SELECT getSetting('max_threads')", "max_threads", "1")
	allowed("77", "SELECT getSetting('max_block_size')", "session_id", "s", "max_block_size", "77")
	allowed("0", "SELECT count() FROM t", "session_id", "s")
	allowed(`[0]`, "SELECT count() FROM t FORMAT JSONCompactEachRow", "session_id", "s")
	if got := w.Query(t, "SELECT count() FROM t"); got != "0" {
		t.Errorf("%s rows stored", got)
	}
}

func TestLimitsOfAUser(t *testing.T) {
	w, _ := startWithUsers(t)
	f := func(user, code, sql string, settings ...string) {
		t.Helper()
		if got := w.MustSend(t, as(user, user[:1], sql, settings...)); got.Code() != code {
			t.Errorf("%s: %s %v: %d %q, want code %q", user, sql, settings, got.Status, got.Body, code)
		}
	}
	f("writer", "241", "SELECT length(groupArray(number)) FROM numbers(100000000)")
	f("reader", "159", "SELECT count() FROM system.numbers WHERE NOT ignore(sipHash64(number))")
	f("reader", "159", "SELECT count() FROM system.numbers WHERE NOT ignore(sipHash64(number)) FORMAT JSON")
	f("reader", "452", "SELECT 1", "max_memory_usage", "1000000000")
	f("reader", "452", "SELECT 1", "max_execution_time", "0")
	f("reader", "", "SELECT 1", "max_execution_time", "0.5")
	f("writer", "452", "SELECT 1 SETTINGS max_memory_usage = 0")
	f("writer", "452", "SET max_memory_usage = 0")
	f("writer", "241", "INSERT INTO t SELECT length(groupArray(number)) FROM numbers(100000000)")
	f("writer", "", "INSERT INTO t VALUES (1)")
	f("writer", "", "SELECT 'max_memory_usage'")
}

func TestUsersDoNotShareSessions(t *testing.T) {
	w, _ := startWithUsers(t)
	w.MustSend(t, as("writer", "w", "CREATE TEMPORARY TABLE mine (a UInt8)", "session_id", "s"))
	if got := w.MustSend(t, as("writer", "w", "SELECT count() FROM mine", "session_id", "s")); string(got.Body) != "0\n" {
		t.Errorf("the owner: %s", got.Body)
	}
	if got := w.MustSend(t, as(w.User, w.Password, "SELECT 1", "session_id", "s", "session_check", "1")); got.Code() != "372" {
		t.Errorf("another user found the session: %s", got.Body)
	}
}

func TestUsersFileThatOthersCanReadIsRefused(t *testing.T) {
	w, path := startWithUsers(t)
	w.Stop(t)
	must(t, os.Chmod(path, 0o644))
	expectRefusal(t, w.Command("--users", path), "chmod 600")
	must(t, os.Chmod(path, 0o600))
	must(t, os.WriteFile(path, []byte("users:\n  a: {pasword: x}\n"), 0o600))
	expectRefusal(t, w.Command("--users", path), "line 2: field pasword not found")
	w.Restart(t)
}
