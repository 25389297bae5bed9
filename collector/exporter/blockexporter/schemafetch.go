// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"go.opentelemetry.io/collector/config/configopaque"
)

// columnsQuery lists the columns that an INSERT fills; ClickHouse computes the others.
const columnsQuery = `SELECT name, type FROM system.columns
WHERE database = currentDatabase() AND table = {table:String} AND default_kind NOT IN ('ALIAS', 'MATERIALIZED')
ORDER BY position FORMAT JSONCompactEachRow`

// fetchColumns asks ClickHouse for the columns of a table; none if the table does not exist. No failure here is a fault of
// the block that waits, so every failure is retryable.
func (e *blockExporter) fetchColumns(ctx context.Context, table string) (columns []column, failure *deliveryError) {
	query := url.Values{"database": {e.cfg.Database}, "param_table": {table}}.Encode()
	failure = e.anywhere(ctx, func(ctx context.Context, address string) *deliveryError {
		got, failed := e.ask(func(password configopaque.String) (*http.Request, error) {
			return e.cfg.newRequest(ctx, address+"?"+query, password, strings.NewReader(columnsQuery))
		})
		if failed != nil {
			return failed
		}
		var err error
		if columns, err = readColumns(got); err == nil {
			return nil
		}
		return &deliveryError{
			outcome: retryable, code: exceptionCode(got.header, got.body),
			err: fmt.Errorf("ask %s for the columns of table %s: %w", address, table, err),
		}
	})
	return columns, failure
}

func readColumns(a *answer) ([]column, error) {
	if a.status != http.StatusOK || a.header.Get(headerExceptionCode) != "" {
		return nil, fmt.Errorf("HTTP %d: %s", a.status, firstLine(string(a.body)))
	}
	var columns []column
	for line := range bytes.Lines(a.body) {
		var pair []string
		if err := json.Unmarshal(line, &pair); err != nil || len(pair) != 2 {
			return nil, fmt.Errorf("not a column: %s", firstLine(string(line)))
		}
		columns = append(columns, column{pair[0], pair[1]})
	}
	return columns, nil
}
