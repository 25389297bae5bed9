// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write golden/ from what the engine shows")

// TestSchemaGolden compares what the engine made of the migrations (SHOW CREATE) with the files that reviewers
// read: one per table, materialized view and view.
func TestSchemaGolden(t *testing.T) {
	w := migrated(t)
	names := strings.Split(w.Query(t, `SELECT name FROM system.tables
		WHERE database = 'default' AND name NOT LIKE 'goose%' ORDER BY name`), "\n")
	files := make([]string, len(names))
	for i, name := range names {
		files[i] = filepath.Join("golden", name+".sql")
		got := w.Query(t, "SHOW CREATE TABLE "+name+" FORMAT TSVRaw") + ";\n"
		if *update {
			if err := os.WriteFile(files[i], []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(files[i])
		if err != nil {
			t.Errorf("%v. See what the migrations make, then run with -update", err)
		} else if got != string(want) {
			t.Errorf("%s differs from %s. Read the difference, then run with -update.\n%s",
				name, files[i], firstDifference(got, string(want)))
		}
	}
	there, err := filepath.Glob("golden/*.sql")
	if err != nil || !slices.Equal(there, files) {
		t.Errorf("golden/ holds %v, the database %v: %v", there, files, err)
	}
}

func firstDifference(got, want string) string {
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			return "got:  " + g[i] + "\nwant: " + w[i]
		}
	}
	return "one has more lines than the other"
}
