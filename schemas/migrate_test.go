// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
		version, err := m.Version(t.Context())
		if want := int64(100 + len(files)); err != nil || version != want {
			t.Errorf("version %d, want %d: %v", version, want, err)
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
	if files, err := fs.Glob(schemas.Files(), "*.sql"); err != nil || done != len(files) {
		t.Errorf("%d migrations applied in all, want %d: %v", done, len(files), err)
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

// TestUpTakesOverTheLastVersionBeforeTheBaseline: a data folder of an earlier build has the same tables, older views
// and goose's version 21. Its rows stay, and every view becomes the baseline's.
func TestUpTakesOverTheLastVersionBeforeTheBaseline(t *testing.T) {
	w := migrated(t)
	w.Query(t, "INSERT INTO run_events (run_id, kind, name) VALUES ('old', 'phase', 'warmup')")
	w.Query(t, "CREATE OR REPLACE VIEW v_phases AS SELECT 'of an earlier build' AS run_id")
	setVersion(t, w, 21)
	m := openMigrator(t, w)
	if err := m.Up(t.Context(), func(string, time.Duration) {}); err != nil {
		t.Fatal(err)
	}
	if pending, err := m.Pending(t.Context()); err != nil || len(pending) > 0 {
		t.Errorf("pending %v: %v", pending, err)
	}
	if got := w.Query(t, "SELECT run_id, phase FROM v_phases"); got != "old\twarmup" {
		t.Errorf("phases: %s", got)
	}
}

func TestOpenRefusesVersionsWithoutAWayToTheBaseline(t *testing.T) {
	w := migrated(t)
	for _, version := range []int{1, 20, 22, 100} {
		setVersion(t, w, version)
		if _, err := schemas.Open(t.Context(), target(w)); !errors.Is(err, schemas.ErrTooOld) {
			t.Errorf("version %d: error %v, want %v", version, err, schemas.ErrTooOld)
		}
	}
}

// setVersion makes goose's table that of a database of another version.
func setVersion(t *testing.T, w *warehousetest.Warehouse, version int) {
	t.Helper()
	w.Query(t, "TRUNCATE TABLE goose_db_version")
	w.Query(t, fmt.Sprintf("INSERT INTO goose_db_version (version_id, is_applied) VALUES (0, 1), (%d, 1)", version))
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
		if want := fmt.Sprintf("%05d_", i+101); !strings.HasPrefix(name, want) {
			t.Errorf("%s: its number must be %s", name, want)
		}
		upper := strings.ToUpper(string(text))
		for _, word := range []string{"-- +GOOSE DOWN", " UPDATE ", "DELETE "} {
			if strings.Contains(upper, word) {
				t.Errorf("%s: %q is not allowed in a migration", name, word)
			}
		}
		safe := strings.Count(upper, "IF NOT EXISTS") + strings.Count(upper, "CREATE OR REPLACE VIEW")
		if strings.Count(upper, "CREATE ")+strings.Count(upper, " ADD ") != safe {
			t.Errorf("%s: every CREATE and ADD needs IF NOT EXISTS, or a view OR REPLACE", name)
		}
	}
}

// TestAppliedMigrationsStayAsTheyAre holds each migration to the hash with which it was first released: a warehouse that has
// applied a file never reads it again, so a change of it would reach new warehouses alone.
func TestAppliedMigrationsStayAsTheyAre(t *testing.T) {
	const list = "golden/migrations.sha256"
	files, err := fs.Glob(schemas.Files(), "*.sql")
	if err != nil {
		t.Fatal(err)
	}
	var sums strings.Builder
	for _, name := range files {
		text, err := fs.ReadFile(schemas.Files(), name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(text), name)
	}
	released, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	now := strings.SplitAfter(sums.String(), "\n")
	for i, line := range strings.SplitAfter(string(released), "\n") {
		if line != "" && (i >= len(now) || now[i] != line) {
			t.Errorf("%s is not as it was released; undo the change and write the next migration", strings.TrimSpace(line))
		}
	}
	if missing := strings.TrimPrefix(sums.String(), string(released)); !t.Failed() && missing != "" {
		t.Errorf("append to %s:\n%s", list, missing)
	}
}
