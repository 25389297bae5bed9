// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
)

// newInsertRequest makes the POST that stores one block.
func (e *blockExporter) newInsertRequest(ctx context.Context, b *block) (*http.Request, error) {
	query := url.Values{
		"database": {e.cfg.Database},
		"query":    {inserts[b.stream]},
		// Wait for the part on disk: an asynchronous insert answers before it.
		"async_insert": {"0"},
		// A re-sent block is stored once, in its table and in the rollups that views fill from it.
		"insert_deduplicate":                                 {"1"},
		"insert_deduplication_token":                         {b.token()},
		"deduplicate_blocks_in_dependent_materialized_views": {"1"},
		// A column the table does not have would be dropped without a word.
		"input_format_skip_unknown_fields": {"0"},
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.endpoint+"?"+query.Encode(), bytes.NewReader(b.body))
	if err != nil {
		return nil, fmt.Errorf("make request: %w", err)
	}
	request.Header.Set("Content-Encoding", "zstd")
	request.Header.Set("Content-Type", "application/octet-stream")
	if e.cfg.Username != "" {
		request.Header.Set("X-ClickHouse-User", e.cfg.Username)
		request.Header.Set("X-ClickHouse-Key", string(e.cfg.Password))
	}
	return request, nil
}
