// SPDX-License-Identifier: Apache-2.0

// Package schemas embeds the SQL of Tailrace's tables, rollup and views, and applies it.
package schemas

import (
	"embed"
	"fmt"
	"io/fs"
	"regexp"
	"strings"
	"testing/fstest"
)

//go:embed migrations/*.sql
var files embed.FS

// Migrations returns the files rendered for a cluster, or unchanged when cluster is empty.
func Migrations(cluster string) (fs.FS, error) {
	if cluster == "" {
		return Files(), nil
	}
	return ForCluster(Files(), cluster)
}

// Files returns the numbered migrations.
func Files() fs.FS {
	sub, err := fs.Sub(files, "migrations")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return sub
}

// replicated is the Keeper path of a shard's table, and the replica's name, from the server's macros.
const replicated = "'/clickhouse/tables/{uuid}/{shard}', '{replica}'"

var (
	clusterName  = regexp.MustCompile(`^[A-Za-z0-9_.-]+$`)
	comments     = regexp.MustCompile(`(?m)^--.*\n`)
	createTable  = regexp.MustCompile(`(?s)^CREATE TABLE IF NOT EXISTS (\w+)(\n\(.*?\n\))\nENGINE = (\w*MergeTree)(?:\(([^)]*)\))?(.*)$`)
	createView   = regexp.MustCompile(`(?s)^(CREATE VIEW IF NOT EXISTS|CREATE OR REPLACE VIEW|DROP VIEW IF EXISTS) (\w+)(.*)$`)
	createMV     = regexp.MustCompile(`(?s)^CREATE MATERIALIZED VIEW IF NOT EXISTS (\w+) TO (\w+) AS(.*)$`)
	alterTable   = regexp.MustCompile(`(?s)^ALTER TABLE (\w+) (.*)$`)
	dropTable    = regexp.MustCompile(`^DROP TABLE IF EXISTS (\w+)$`)
	columnChange = regexp.MustCompile(`^(ADD|DROP|RENAME) COLUMN `)
	readTable    = regexp.MustCompile(`\b(FROM|JOIN) (\w+)`)
)

// ForCluster renders migrations for a cluster of servers. Each table becomes a replicated table on every
// shard, NAME_local, and a Distributed table over them under the table's own name, so readers and writers
// see no difference. Rows are spread by run and, if they have one, by Kafka partition; each shard computes
// the rollup of its rows. A statement without a rule is an error.
func ForCluster(migrations fs.FS, cluster string) (fs.FS, error) {
	if !clusterName.MatchString(cluster) {
		return nil, fmt.Errorf("%q is not the name of a cluster: use letters, digits, '_', '.' and '-'", cluster)
	}
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return nil, fmt.Errorf("list migrations: %w", err)
	}
	rendered := fstest.MapFS{}
	for _, name := range names {
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		head, body, found := strings.Cut(string(text), "-- +goose Up\n")
		if !found {
			return nil, fmt.Errorf("%s: no line -- +goose Up", name)
		}
		var out strings.Builder
		out.WriteString(head + "-- +goose Up\n")
		for _, statement := range Statements(body) {
			made := clustered(statement, cluster)
			if made == nil {
				return nil, fmt.Errorf("%s: no rule to render for a cluster: %.60s", name, statement)
			}
			out.WriteString(strings.Join(made, ";\n\n") + ";\n\n")
		}
		rendered[name] = &fstest.MapFile{Data: []byte(out.String())}
	}
	return rendered, nil
}

// Statements splits a migration into its statements, without comments and semicolons.
func Statements(text string) []string {
	var statements []string
	for piece := range strings.SplitSeq(text+"\n", ";\n") {
		if statement := strings.TrimSpace(comments.ReplaceAllString(piece+"\n", "")); statement != "" {
			statements = append(statements, statement)
		}
	}
	return statements
}

// clustered renders one statement; nil means that there is no rule for it.
func clustered(statement, cluster string) []string {
	on := " ON CLUSTER '" + cluster + "'"
	if m := createTable.FindStringSubmatch(statement); m != nil {
		return tableOn(m[1], m[2], m[3], m[4], m[5], cluster)
	}
	if m := createMV.FindStringSubmatch(statement); m != nil {
		body := readTable.ReplaceAllString(m[3], "${1} ${2}_local")
		return []string{"CREATE MATERIALIZED VIEW IF NOT EXISTS " + m[1] + on + " TO " + m[2] + "_local AS" + body}
	}
	if m := createView.FindStringSubmatch(statement); m != nil {
		return []string{m[1] + " " + m[2] + on + m[3]}
	}
	if m := alterTable.FindStringSubmatch(statement); m != nil {
		local := "ALTER TABLE " + m[1] + "_local" + on + " " + settings(m[2])
		if columnChange.MatchString(m[2]) {
			return []string{local, "ALTER TABLE " + m[1] + on + " " + m[2]}
		}
		return []string{local}
	}
	if m := dropTable.FindStringSubmatch(statement); m != nil {
		return []string{"DROP TABLE IF EXISTS " + m[1] + on, "DROP TABLE IF EXISTS " + m[1] + "_local" + on}
	}
	return nil
}

func tableOn(name, columns, engine, arguments, rest, cluster string) []string {
	on := " ON CLUSTER '" + cluster + "'"
	if arguments != "" {
		arguments = ", " + arguments
	}
	key := "cityHash64(run_id)"
	if strings.Contains(columns, "\n    partition ") {
		key = "cityHash64(run_id, partition)"
	}
	return []string{
		"CREATE TABLE IF NOT EXISTS " + name + "_local" + on + columns +
			"\nENGINE = Replicated" + engine + "(" + replicated + arguments + ")" + settings(rest),
		"CREATE TABLE IF NOT EXISTS " + name + on + " AS " + name + "_local\n" +
			"ENGINE = Distributed('" + cluster + "', currentDatabase(), '" + name + "_local', " + key + ")",
	}
}

// settings renames the settings that a replicated table has under another name.
func settings(text string) string {
	return strings.ReplaceAll(text, "non_replicated_deduplication_window", "replicated_deduplication_window")
}
