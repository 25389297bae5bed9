// SPDX-License-Identifier: Apache-2.0

// Package schemas embeds the SQL of Tailrace's tables, rollup and views, and applies it.
package schemas

import (
	"embed"
	"io/fs"
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
