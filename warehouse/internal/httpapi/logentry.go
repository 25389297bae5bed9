// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"time"

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/sqltext"
)

// The engine writes no query log, and it does not know the user or the query's id. So this program writes one into a
// table with a server's columns; a view makes it system.query_log, where tools look for it.
const queryLogTable = `CREATE TABLE IF NOT EXISTS warehouse.query_log
(
    event_date Date DEFAULT toDate(event_time_microseconds),
    event_time DateTime DEFAULT toDateTime(event_time_microseconds),
    event_time_microseconds DateTime64(6),
    type Enum8('QueryStart' = 1, 'QueryFinish' = 2, 'ExceptionBeforeStart' = 3, 'ExceptionWhileProcessing' = 4),
    query_start_time DateTime DEFAULT toDateTime(query_start_time_microseconds),
    query_start_time_microseconds DateTime64(6),
    query_duration_ms UInt64,
    query_id String,
    user LowCardinality(String),
    address String,
    http_method LowCardinality(String),
    http_user_agent LowCardinality(String),
    current_database LowCardinality(String),
    query_kind LowCardinality(String),
    query String CODEC(ZSTD(3)),
    read_rows UInt64, read_bytes UInt64, written_rows UInt64, written_bytes UInt64, result_rows UInt64, result_bytes UInt64,
    exception_code Int32,
    exception String CODEC(ZSTD(3)),
    log_comment String
)
ENGINE = MergeTree ORDER BY (event_date, event_time) TTL event_date + INTERVAL 7 DAY`

const (
	logEvery  = 5 * time.Second
	logBatch  = 1000     // entries written at a time, at most
	logQueue  = 1000     // entries waiting for the writer; more are counted and dropped
	logLength = 16 << 10 // longest text of a query, bytes
)

// logEntry is one row; the JSON names are the table's columns.
type logEntry struct {
	Time       string `json:"event_time_microseconds"`
	Type       string `json:"type"`
	Start      string `json:"query_start_time_microseconds"`
	DurationMS int64  `json:"query_duration_ms"`
	QueryID    string `json:"query_id"`
	User       string `json:"user"`
	Address    string `json:"address"`
	Method     string `json:"http_method"`
	Agent      string `json:"http_user_agent"`
	Database   string `json:"current_database"`
	Kind       string `json:"query_kind"`
	Query      string `json:"query"`
	chdb.Stats
	Code      int    `json:"exception_code"`
	Exception string `json:"exception"`
	Comment   string `json:"log_comment"`
}

// moment is a time as the engine reads a DateTime64(6); its time zone is UTC.
func moment(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05.000000") }

// record puts a request into the query log unless its client asked for none.
func (s *Server) record(q *query, err error) {
	if off, named := q.req.settings["log_queries"]; named && off == "0" {
		return
	}
	now, begun := time.Now(), q.reply.begun
	e := logEntry{
		Time: moment(now), Type: "QueryFinish", Start: moment(begun), DurationMS: now.Sub(begun).Milliseconds(),
		QueryID: q.req.queryID, User: q.req.user.Name, Address: q.reply.r.RemoteAddr, Method: q.reply.r.Method,
		Agent: q.reply.r.UserAgent(), Database: q.req.database, Kind: sqltext.Kind(q.text), Query: q.text,
		Comment: q.req.comment, Stats: q.stats,
	}
	if err != nil {
		failed := asEngineError(err)
		e.Type, e.Code, e.Exception = "ExceptionWhileProcessing", failed.Code, failed.Error()
	}
	s.queries.add(e)
}
