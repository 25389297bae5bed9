// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"embed"
	"fmt"
	"path"
	"regexp"
	"strings"
)

//go:embed insert/*.sql
var insertFiles embed.FS

// insert is the one statement that stores blocks of a stream.
type insert struct {
	statement string
	table     string
	columns   []string
}

// inserts is the allow-list: the one INSERT of each stream. A stream without a file in insert/ is refused.
var inserts = mustReadInserts()

var insertText = regexp.MustCompile(`\AINSERT INTO ([a-z_]+) \(([a-z_]+(?:, [a-z_]+)*)\) FORMAT Native\z`)

func mustReadInserts() map[string]insert {
	entries, err := insertFiles.ReadDir("insert")
	if err != nil {
		panic(fmt.Sprintf("read embedded inserts: %v", err))
	}
	all := make(map[string]insert, len(entries))
	for _, entry := range entries {
		text, err := insertFiles.ReadFile(path.Join("insert", entry.Name()))
		if err != nil {
			panic(fmt.Sprintf("read embedded insert %s: %v", entry.Name(), err))
		}
		statement := statementOf(string(text))
		parts := insertText.FindStringSubmatch(statement)
		if parts == nil {
			panic(fmt.Sprintf("embedded insert %s is not INSERT INTO table (columns) FORMAT Native: %s", entry.Name(), statement))
		}
		all[strings.TrimSuffix(entry.Name(), ".sql")] = insert{statement, parts[1], strings.Split(parts[2], ", ")}
	}
	return all
}

// statementOf removes comment lines and line breaks: the statement is in the URL of every block.
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
