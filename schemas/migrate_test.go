// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"time"

	"tailrace.dev/schemas"
	"tailrace.dev/warehouse/warehousetest"
)

func TestUpAppliesEachMigrationOnce(t *testing.T) {
	w := warehousetest.Start(t)
	files, err := fs.Glob(schemas.Files(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	up := func() (applied []string) {
		t.Helper()
		m := openMigrator(t, w)
		if err := m.Up(t.Context(), func(name string, _ time.Duration) { applied = append(applied, name) }); err != nil {
			t.Fatal(err)
		}
		version, newest, err := m.Version(t.Context())
		if err != nil || version != newest || version != int64(len(files)) {
			t.Errorf("version %d of %d, want %d: %v", version, newest, len(files), err)
		}
		return applied
	}
	pending, err := openMigrator(t, w).Pending(t.Context())
	if err != nil || strings.Join(pending, " ") != strings.Join(files, " ") {
		t.Errorf("before: pending %v, want %v: %v", pending, files, err)
	}
	if applied := up(); strings.Join(applied, " ") != strings.Join(files, " ") {
		t.Errorf("applied %v, want %v", applied, files)
	}
	if applied := up(); len(applied) != 0 {
		t.Errorf("applied again: %v", applied)
	}
	if pending, err = openMigrator(t, w).Pending(t.Context()); err != nil || len(pending) != 0 {
		t.Errorf("after: pending %v: %v", pending, err)
	}
}

func TestUpGoesOnAfterACrash(t *testing.T) {
	w := warehousetest.Start(t)
	m := openMigrator(t, w)
	done := 0
	err := m.Up(t.Context(), func(string, time.Duration) {
		if done++; done == 3 {
			w.Kill(t)
		}
	})
	if err == nil {
		t.Fatal("migrating a dead warehouse succeeded")
	}
	w.Restart(t)
	m = openMigrator(t, w)
	if err := m.Up(t.Context(), func(string, time.Duration) { done++ }); err != nil {
		t.Fatal(err)
	}
	if _, newest, err := m.Version(t.Context()); err != nil || int64(done) != newest {
		t.Errorf("%d migrations applied in all, want %d: %v", done, newest, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	w := migrated(t)
	f := func(change func(*schemas.Warehouse), want string, kinds ...error) {
		t.Helper()
		to := target(w)
		change(&to)
		_, err := schemas.Open(t.Context(), to)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
		for _, kind := range kinds {
			if !errors.Is(err, kind) {
				t.Errorf("error %v is not %v", err, kind)
			}
		}
	}
	f(func(to *schemas.Warehouse) { to.Password = "wrong" }, "Authentication failed")
	f(func(to *schemas.Warehouse) { to.Database = "nope" }, "nope")
	f(func(to *schemas.Warehouse) { to.URL = "127.0.0.1:1" }, "is not a URL")
	f(func(to *schemas.Warehouse) { to.URL = "http://" + warehousetest.FreeAddress(t) }, "connection refused", schemas.ErrUnreachable)
	w.Query(t, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (999, 1)")
	f(func(*schemas.Warehouse) {}, "version 999", schemas.ErrNewer)
}

// TestMigrationsOnlyGoForward holds the migrations to their rules: numbered without gaps, safe to run again
// after a crash in their middle, and free of mutations, which time out and leave a table half changed.
func TestMigrationsOnlyGoForward(t *testing.T) {
	files, err := fs.Glob(schemas.Files(), "*.sql")
	if err != nil || len(files) == 0 {
		t.Fatalf("no migrations: %v", err)
	}
	for i, name := range files {
		text, err := fs.ReadFile(schemas.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		if want := fmt.Sprintf("%05d_", i+1); !strings.HasPrefix(name, want) {
			t.Errorf("%s: its number must be %s", name, want)
		}
		upper := strings.ToUpper(string(text))
		for _, word := range []string{"-- +GOOSE DOWN", " UPDATE ", "DELETE "} {
			if strings.Contains(upper, word) {
				t.Errorf("%s: %q has no place in a migration", name, word)
			}
		}
		safe := strings.Count(upper, "IF NOT EXISTS") + strings.Count(upper, "CREATE OR REPLACE VIEW")
		if strings.Count(upper, "CREATE ")+strings.Count(upper, " ADD ") != safe {
			t.Errorf("%s: every CREATE and ADD needs IF NOT EXISTS, or a view OR REPLACE", name)
		}
	}
}
