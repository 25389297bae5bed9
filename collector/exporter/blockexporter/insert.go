// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"go.opentelemetry.io/collector/config/configopaque"
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
		match := insertText.FindStringSubmatch(statement)
		if match == nil {
			panic(fmt.Sprintf("embedded insert %s is not INSERT INTO table (columns) FORMAT Native: %s", entry.Name(), statement))
		}
		all[strings.TrimSuffix(entry.Name(), ".sql")] = insert{statement, match[1], strings.Split(match[2], ", ")}
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

// insertURL is the URL that stores one block, with statement and settings. It contains no credentials.
func (c *Config) insertURL(address string, b *block) string {
	query := url.Values{
		"database": {c.Database},
		"query":    {inserts[b.stream].statement},
		// Wait for the data part on disk: an asynchronous insert answers before it exists.
		"async_insert": {"0"},
		// A re-sent block is stored once, in its table and in the rollups that views fill from it.
		"insert_deduplicate":                                 {"1"},
		"insert_deduplication_token":                         {b.token()},
		"deduplicate_blocks_in_dependent_materialized_views": {"1"},
		// Otherwise ClickHouse silently drops a column that the table does not have.
		"input_format_skip_unknown_fields": {"0"},
	}
	return address + "?" + query.Encode()
}

func (c *Config) newInsertRequest(ctx context.Context, address string, password configopaque.String, b *block) (*http.Request, error) {
	request, err := c.newRequest(ctx, c.insertURL(address, b), password, bytes.NewReader(b.body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Encoding", "zstd")
	request.Header.Set("Content-Type", "application/octet-stream")
	return request, nil
}

func (c *Config) newRequest(ctx context.Context, to string, password configopaque.String, body io.Reader) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, to, body)
	if err != nil {
		return nil, fmt.Errorf("create request: %w", err)
	}
	if c.Username != "" {
		request.Header.Set("X-ClickHouse-User", c.Username)
		request.Header.Set("X-ClickHouse-Key", string(password))
	}
	return request, nil
}
