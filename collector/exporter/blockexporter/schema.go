// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"go.opentelemetry.io/collector/config/configopaque"
)

const (
	// How long a list of columns that fits is trusted. ClickHouse refuses most blocks that a stale list accepts.
	schemaMaxAge = 10 * time.Second
	// Shortest time between two requests for a list that does not fit: a migration may have run.
	schemaMinAge = time.Second
)

// schema caches the tables' columns and fetches them from ClickHouse when they are old.
type schema struct {
	fetch  func(ctx context.Context, table string) ([]column, *deliveryError)
	now    func() time.Time
	tables map[string]*tableColumns
}

type tableColumns struct {
	// turn admits one block at a time; the others wait until their own timeout at most.
	turn    chan struct{}
	columns []column
	asked   time.Time
}

func newSchema(fetch func(context.Context, string) ([]column, *deliveryError)) *schema {
	s := &schema{fetch: fetch, now: time.Now, tables: map[string]*tableColumns{}}
	for _, i := range inserts {
		s.tables[i.table] = &tableColumns{turn: make(chan struct{}, 1)}
	}
	return s
}

// check refuses a block whose columns are not those of its table. A block that does not state its columns passes.
func (s *schema) check(ctx context.Context, b *block) *deliveryError {
	if len(b.columns) == 0 {
		return nil
	}
	into := inserts[b.stream]
	t := s.tables[into.table]
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return &deliveryError{outcome: retryable, err: fmt.Errorf("wait for the columns of table %s: %w", into.table, ctx.Err())}
	}
	fits := len(t.columns) > 0 && difference(b.columns, t.columns) == ""
	if age := s.now().Sub(t.asked); age >= schemaMaxAge || !fits && age >= schemaMinAge {
		if failure := s.refresh(ctx, into.table, t); failure != nil {
			return failure
		}
	}
	if len(t.columns) == 0 {
		return &deliveryError{outcome: retryable, err: fmt.Errorf("there is no table %s yet", into.table)}
	}
	return compareColumns(b, into, t.columns)
}

func (s *schema) refresh(ctx context.Context, table string, t *tableColumns) *deliveryError {
	asked := s.now()
	columns, failure := s.fetch(ctx, table)
	if failure != nil {
		return failure
	}
	t.columns, t.asked = columns, asked
	return nil
}

func compareColumns(b *block, into insert, table []column) *deliveryError {
	refused := &deliveryError{outcome: permanent, reason: reasonColumns}
	if found := difference(b.columns, table); found != "" {
		refused.err = fmt.Errorf("columns do not fit table %s: %s; the block has (%s), the table has (%s)",
			into.table, found, listed(b.columns), listed(table))
		return refused
	}
	var unnamed []string
	for _, c := range b.columns {
		if !slices.Contains(into.columns, c.name) {
			unnamed = append(unnamed, c.String())
		}
	}
	if len(unnamed) > 0 {
		refused.err = fmt.Errorf("columns fit table %s, but this collector's INSERT does not name: %s; the block has (%s), "+
			"the INSERT has (%s)", into.table, strings.Join(unnamed, ", "), listed(b.columns), strings.Join(into.columns, ", "))
		return refused
	}
	return nil
}

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
