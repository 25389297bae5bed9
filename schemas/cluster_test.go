// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"io/fs"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"tailrace.dev/schemas"
	"tailrace.dev/warehouse/warehousetest"
)

var created = regexp.MustCompile(`^CREATE TABLE IF NOT EXISTS (\w+)`)

// rendered are all statements of the schema for cluster "bench", in order.
func rendered(t *testing.T) (statements []string) {
	t.Helper()
	files, err := schemas.ForCluster(schemas.Files(), "bench")
	if err != nil {
		t.Fatal(err)
	}
	names, err := fs.Glob(files, "*.sql")
	plain, _ := fs.Glob(schemas.Files(), "*.sql")
	if err != nil || !slices.Equal(names, plain) {
		t.Fatalf("files %v, want %v: %v", names, plain, err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(files, name)
		if err != nil {
			t.Fatal(err)
		}
		statements = append(statements, schemas.Statements(string(text))...)
	}
	return statements
}

// TestClusterSchemaParses gives every statement to the engine's own parser, which accepts what a server accepts.
func TestClusterSchemaParses(t *testing.T) {
	w := warehousetest.Start(t)
	for _, statement := range rendered(t) {
		literal := strings.ReplaceAll(strings.ReplaceAll(statement, `\`, `\\`), `'`, `\'`)
		if got := w.Query(t, "SELECT formatQuery('"+literal+"')"); !strings.Contains(got, "ON CLUSTER bench") {
			t.Errorf("not on the cluster: %s", statement)
		}
	}
}

func TestClusterSchemaIsReplicatedAndDistributed(t *testing.T) {
	local := map[string]bool{}
	plain := map[string]bool{}
	for _, statement := range rendered(t) {
		upper := strings.ToUpper(statement)
		switch {
		case strings.HasPrefix(upper, "CREATE TABLE") && strings.Contains(statement, "_local ON CLUSTER"):
			local[created.FindStringSubmatch(statement)[1]] = true
			if !strings.Contains(statement, "ENGINE = Replicated") || !strings.Contains(statement, "'{replica}'") {
				t.Errorf("not replicated: %s", statement)
			}
			if strings.Contains(statement, "non_replicated") {
				t.Errorf("a setting of plain tables: %s", statement)
			}
		case strings.HasPrefix(upper, "CREATE TABLE"):
			plain[created.FindStringSubmatch(statement)[1]] = true
			if !strings.Contains(statement, "ENGINE = Distributed('bench'") {
				t.Errorf("not distributed: %s", statement)
			}
		case strings.HasPrefix(upper, "CREATE MATERIALIZED VIEW"):
			if regexp.MustCompile(`\b(TO|FROM) (publishes|deliveries|publish_failures|rollup_1s)\b`).MatchString(statement) {
				t.Errorf("a shard's rollup must be made from and in the shard: %s", statement)
			}
		case strings.Contains(upper, " VIEW "):
			if regexp.MustCompile(`_local\b`).MatchString(statement) {
				t.Errorf("a view must read all shards: %s", statement)
			}
		}
	}
	if !plain["publishes"] || !plain["runs"] || len(plain) != len(local) {
		t.Errorf("distributed %v, on the shards %v", plain, local)
	}
	for name := range plain {
		if !local[name+"_local"] {
			t.Errorf("%s has no table on the shards", name)
		}
	}
}

func TestForClusterRenders(t *testing.T) {
	f := func(statement string, want ...string) {
		t.Helper()
		files := fstest.MapFS{"00001_x.sql": {Data: []byte("-- x\n-- +goose Up\n" + statement + ";\n")}}
		got, err := schemas.ForCluster(files, "c")
		if err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
		text, err := fs.ReadFile(got, "00001_x.sql")
		if found := schemas.Statements(string(text)); err != nil || !slices.Equal(found, want) {
			t.Errorf("%s: got %q, want %q: %v", statement, found, want, err)
		}
	}
	const path = "'/clickhouse/tables/{uuid}/{shard}', '{replica}'"
	f("CREATE TABLE IF NOT EXISTS a\n(\n    run_id String,\n    partition Int32\n)\nENGINE = MergeTree\nORDER BY run_id\nSETTINGS non_replicated_deduplication_window = 9",
		"CREATE TABLE IF NOT EXISTS a_local ON CLUSTER 'c'\n(\n    run_id String,\n    partition Int32\n)\nENGINE = ReplicatedMergeTree("+path+")\nORDER BY run_id\nSETTINGS replicated_deduplication_window = 9",
		"CREATE TABLE IF NOT EXISTS a ON CLUSTER 'c' AS a_local\nENGINE = Distributed('c', currentDatabase(), 'a_local', cityHash64(run_id, partition))")
	f("CREATE TABLE IF NOT EXISTS a\n(\n    run_id String\n)\nENGINE = ReplacingMergeTree(v)\nORDER BY run_id",
		"CREATE TABLE IF NOT EXISTS a_local ON CLUSTER 'c'\n(\n    run_id String\n)\nENGINE = ReplicatedReplacingMergeTree("+path+", v)\nORDER BY run_id",
		"CREATE TABLE IF NOT EXISTS a ON CLUSTER 'c' AS a_local\nENGINE = Distributed('c', currentDatabase(), 'a_local', cityHash64(run_id))")
	f("CREATE MATERIALIZED VIEW IF NOT EXISTS m TO b AS SELECT x FROM (SELECT 1 AS x FROM a)",
		"CREATE MATERIALIZED VIEW IF NOT EXISTS m ON CLUSTER 'c' TO b_local AS SELECT x FROM (SELECT 1 AS x FROM a_local)")
	f("CREATE OR REPLACE VIEW v AS SELECT 1 FROM a", "CREATE OR REPLACE VIEW v ON CLUSTER 'c' AS SELECT 1 FROM a")
	f("DROP VIEW IF EXISTS v", "DROP VIEW IF EXISTS v ON CLUSTER 'c'")
	f("DROP TABLE IF EXISTS a", "DROP TABLE IF EXISTS a ON CLUSTER 'c'", "DROP TABLE IF EXISTS a_local ON CLUSTER 'c'")
	f("ALTER TABLE a MODIFY SETTING non_replicated_deduplication_window = 9",
		"ALTER TABLE a_local ON CLUSTER 'c' MODIFY SETTING replicated_deduplication_window = 9")
	f("ALTER TABLE a ADD COLUMN IF NOT EXISTS x UInt8", "ALTER TABLE a_local ON CLUSTER 'c' ADD COLUMN IF NOT EXISTS x UInt8",
		"ALTER TABLE a ON CLUSTER 'c' ADD COLUMN IF NOT EXISTS x UInt8")
}

func TestForClusterRefuses(t *testing.T) {
	f := func(text, cluster, want string) {
		t.Helper()
		_, err := schemas.ForCluster(fstest.MapFS{"00001_x.sql": {Data: []byte(text)}}, cluster)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %q", text, err, want)
		}
	}
	f("-- +goose Up\nSELECT 1;\n", "", `"" is not the name of a cluster`)
	f("-- +goose Up\nSELECT 1;\n", "c' SYNC", "is not the name of a cluster")
	f("-- +goose Up\nOPTIMIZE TABLE a;\n", "c", "00001_x.sql: no rule to render for a cluster: OPTIMIZE TABLE a")
	f("SELECT 1;\n", "c", "no line -- +goose Up")
}
