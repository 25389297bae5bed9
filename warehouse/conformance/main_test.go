// SPDX-License-Identifier: Apache-2.0

// Package conformance tests what every ClickHouse server must do. It runs against the embedded warehouse, or against the
// server of CLICKHOUSE_URL:
//
//	CLICKHOUSE_URL=http://user:password@host:8123 make test-warehouse
//
// CLICKHOUSE_NATIVE=host:9000 adds clickhouse-go's native protocol. CLICKHOUSE_CRASH is a command that kills the server
// with SIGKILL and starts it again; without it the tests with crashes are skipped. Each test uses its own database and
// drops it at the end. TAILRACE_CONFORMANCE=full runs all sizes.
package conformance

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tailrace.dev/warehouse/warehousetest"
)

var (
	external = os.Getenv("CLICKHOUSE_URL")
	full     = os.Getenv("TAILRACE_CONFORMANCE") == "full"
)

func TestMain(m *testing.M) {
	if external != "" {
		os.Exit(m.Run())
	}
	os.Exit(warehousetest.Main(m))
}

// server is the server under test.
type server struct {
	address, user, password, database string
	embedded                          *warehousetest.Warehouse // nil for an external server
}

// start returns the server with an empty database, which is dropped when the test ends.
func start(t *testing.T) *server {
	t.Helper()
	s := &server{database: "tailrace_conformance_" + strings.ToLower(rand.Text()[:8])}
	if external == "" {
		w := warehousetest.Start(t, "--max-memory", "1GiB")
		s.embedded, s.user, s.password, s.address = w, w.User, w.Password, strings.TrimPrefix(w.URL, "http://")
	} else {
		at, err := url.Parse(external)
		if err != nil || at.Scheme != "http" || at.Host == "" {
			t.Fatalf("CLICKHOUSE_URL must be http://user:password@host:port")
		}
		s.address, s.user = at.Host, at.User.Username()
		s.password, _ = at.User.Password()
	}
	s.run(t, "CREATE DATABASE "+s.database, url.Values{"database": {"default"}})
	t.Cleanup(func() { s.run(t, "DROP DATABASE "+s.database, url.Values{"database": {"default"}}) })
	return s
}

// crash kills the server with SIGKILL; the returned function starts it again.
func (s *server) crash(t *testing.T) (restart func()) {
	t.Helper()
	if s.embedded != nil {
		s.embedded.Kill(t)
		return func() { s.embedded.Restart(t, "--max-memory", "1GiB") }
	}
	command := os.Getenv("CLICKHOUSE_CRASH")
	if command == "" {
		t.Skip("CLICKHOUSE_CRASH is not set")
	}
	if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
		t.Fatalf("CLICKHOUSE_CRASH: %v\n%s", err, out)
	}
	return func() {}
}

// request creates a POST with the suite's user and database. at is the address of the server or of a proxy.
func (s *server) request(ctx context.Context, at string, params url.Values, body io.Reader) *http.Request {
	all := url.Values{"database": {s.database}}
	maps.Copy(all, params)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+at+"/?"+all.Encode(), body)
	if err != nil {
		panic(err)
	}
	request.SetBasicAuth(s.user, s.password)
	return request
}

// client keeps no connection, so that none is used again after a cut. It decodes nothing itself.
var client = &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}

// run sends a statement that must succeed, and returns its answer without the last line end.
func (s *server) run(t testing.TB, sql string, params url.Values) string {
	t.Helper()
	response, err := client.Do(s.request(context.Background(), s.address, params, strings.NewReader(sql)))
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d, %v\n%.1000s", sql, response.StatusCode, err, body)
	}
	return strings.TrimSuffix(string(body), "\n")
}

// python is the interpreter that has clickhouse-connect.
var python = sync.OnceValues(func() (string, error) {
	dir, err := os.Getwd()
	for ; err == nil; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, ".tailrace", "venv", "bin", "python")
		if _, missing := os.Stat(path); missing == nil {
			return path, nil
		}
		if dir == filepath.Dir(dir) {
			break
		}
	}
	return "", fmt.Errorf("no .tailrace/venv: run `make setup`")
})

// waitFor polls until the condition holds.
func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("timed out waiting: %s", what)
		}
	}
}
