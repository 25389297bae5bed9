// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"go.opentelemetry.io/collector/config/configopaque"
)

// insertURL is the URL that stores one block, with statement and settings. It contains no credentials.
func (c *Config) insertURL(address string, b *block) string {
	query := url.Values{
		"database": {c.Database},
		"query":    {inserts[b.stream].statement},
		// Wait for the part on disk: an asynchronous insert answers before it is there.
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

// newInsertRequest creates the POST that stores one block.
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
