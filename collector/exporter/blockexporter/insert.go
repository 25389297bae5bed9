// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"embed"
	"fmt"
	"path"
	"strings"
)

//go:embed insert/*.sql
var insertFiles embed.FS

// inserts is the allow-list: the one INSERT of each stream. A stream without a file here is refused.
var inserts = mustReadInserts()

func mustReadInserts() map[string]string {
	entries, err := insertFiles.ReadDir("insert")
	if err != nil {
		panic(fmt.Sprintf("read embedded inserts: %v", err))
	}
	statements := make(map[string]string, len(entries))
	for _, entry := range entries {
		text, err := insertFiles.ReadFile(path.Join("insert", entry.Name()))
		if err != nil {
			panic(fmt.Sprintf("read embedded insert %s: %v", entry.Name(), err))
		}
		statements[strings.TrimSuffix(entry.Name(), ".sql")] = statementOf(string(text))
	}
	return statements
}

// statementOf drops comment lines and line breaks: the statement travels in a URL with every block.
func statementOf(text string) string {
	var kept []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "--") {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, " ")
}
