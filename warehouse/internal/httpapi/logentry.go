// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	_ "embed"
	"time"

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/sqltext"
)

//go:embed query_log.sql
var queryLogTable string

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
	now, begun := time.Now(), q.begun
	e := logEntry{
		Time: moment(now), Type: "QueryFinish", Start: moment(begun), DurationMS: now.Sub(begun).Milliseconds(),
		QueryID: q.req.queryID, User: q.req.user.Name, Address: q.r.RemoteAddr, Method: q.r.Method,
		Agent: q.r.UserAgent(), Database: q.req.database, Kind: sqltext.Kind(q.text), Query: q.text,
		Comment: q.req.comment, Stats: q.stats,
	}
	if err != nil {
		failed := asEngineError(err)
		e.Type, e.Code, e.Exception = "ExceptionWhileProcessing", failed.Code, failed.Error()
	}
	s.queries.add(e)
}
