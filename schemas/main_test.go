// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"os"
	"testing"
	"time"

	"tailrace.dev/schemas"
	"tailrace.dev/warehouse/warehousetest"
)

func TestMain(m *testing.M) { os.Exit(warehousetest.Main(m)) }

// migrated starts a warehouse with the whole schema.
func migrated(t *testing.T) *warehousetest.Warehouse {
	t.Helper()
	w := warehousetest.Start(t)
	m := openMigrator(t, w)
	if err := m.Up(t.Context(), func(string, time.Duration) {}); err != nil {
		t.Fatal(err)
	}
	return w
}

func openMigrator(t *testing.T, w *warehousetest.Warehouse) *schemas.Migrator {
	t.Helper()
	m, err := schemas.Open(t.Context(), target(w))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	})
	return m
}

func target(w *warehousetest.Warehouse) schemas.Warehouse {
	return schemas.Warehouse{URL: w.URL, User: w.User, Password: w.Password, Database: "default"}
}
