// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"testing"

	"tailrace.dev/schemas"
	"tailrace.dev/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Main(m)) }

func TestRun(t *testing.T) {
	w := warehousetest.Start(t)
	t.Setenv("WAREHOUSE_USER", w.User)
	t.Setenv("WAREHOUSE_PASSWORD", w.Password)
	files, err := fs.Glob(schemas.Files(), "*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	newest, last := 100+len(files), files[len(files)-1]
	current := fmt.Sprintf("schema version %d\n", newest)
	f := func(wantExit int, wantOut, wantErr string, args ...string) {
		t.Helper()
		var out strings.Builder
		exit, err := run(t.Context(), args, &out)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if exit != wantExit || !strings.HasSuffix(out.String(), wantOut) || !strings.Contains(text, wantErr) || (wantErr == "") != (err == nil) {
			t.Errorf("%v: exit %d, output %q, error %q; want %d, …%q, %q", args, exit, out.String(), text, wantExit, wantOut, wantErr)
		}
		if strings.Contains(text, "\n") || strings.Contains(text, w.Password) {
			t.Errorf("%v: the error has several lines, or contains the password: %q", args, text)
		}
	}
	w.Query(t, "CREATE DATABASE fresh")
	f(0, "tailrace-migrate --cluster bench render > schema.sql\n", "", "--help")
	f(0, lastLine(t, last)+"\n\n", "", "render")
	f(0, lastLine(t, last)+"\n\n", "", "--cluster", "bench", "render")
	f(1, "pending "+last+"\nschema version 0\n", "", "--url", w.URL, "status")
	f(0, "ms)\n"+current, "", "--url", w.URL)
	f(0, current, "", "--url", w.URL, "up")
	f(0, current, "", "--url", w.URL, "status")
	f(2, "", "unknown command \"down\"", "--url", w.URL, "down")
	f(2, "", "unexpected argument", "up", "up")
	f(2, "", "-nope", "-nope")
	f(2, "", "is not a URL", "--url", "127.0.0.1:8123")

	f(2, "", `--cluster: "a b" is not the name of a cluster`, "--cluster", "a b", "render")
	f(1, "", "Requested cluster 'nowhere' not found", "--url", w.URL, "--database", "fresh", "--cluster", "nowhere")

	silent := "http://" + warehousetest.FreeAddress(t)
	f(2, "", silent+": warehouse unreachable: dial tcp", "--url", silent)
	f(2, "", "Start it, or name its address with --url", "--url", silent)
	w.Query(t, fmt.Sprintf("INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, 1)", newest+1))
	f(2, "", fmt.Sprintf("it has version %d, the program knows %d. Use a newer tailrace-migrate", newest+1, newest), "--url", w.URL)
	f(2, "", "newer than this program", "--url", w.URL, "status")

	t.Setenv("WAREHOUSE_PASSWORD", "wrong")
	f(2, "", "Authentication failed", "--url", w.URL)
	t.Setenv("WAREHOUSE_PASSWORD", "")
	f(2, "", "WAREHOUSE_USER and WAREHOUSE_PASSWORD must be set", "--url", w.URL)
}

// lastLine is how a migration, and so what render prints, ends.
func lastLine(t *testing.T, file string) string {
	t.Helper()
	text, err := fs.ReadFile(schemas.Files(), file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
