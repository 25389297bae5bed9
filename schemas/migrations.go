// SPDX-License-Identifier: Apache-2.0

// Package schemas carries Tailrace's tables, rollups and views, and applies them.
package schemas

import (
	"embed"
	"io/fs"
)

//go:embed migrations/*.sql
var files embed.FS

// Migrations are the files as a cluster needs them, or as they are when it is empty.
func Migrations(cluster string) (fs.FS, error) {
	if cluster == "" {
		return Files(), nil
	}
	return ForCluster(Files(), cluster)
}

// Files are the numbered migrations.
func Files() fs.FS {
	sub, err := fs.Sub(files, "migrations")
	if err != nil {
		panic(err) // the folder is embedded above
	}
	return sub
}
