// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"tailrace.dev/warehouse/internal/chdb"
)

// queryLog writes entries in batches; a request only queues its entry.
type queryLog struct {
	engine  *chdb.Engine
	log     *slog.Logger
	entries chan logEntry
	flushed chan chan struct{}
	stop    chan struct{}
	dropped atomic.Uint64
}

func startQueryLog(engine *chdb.Engine, log *slog.Logger) (*queryLog, error) {
	conn, err := engine.Connect()
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	for _, sql := range []string{
		"CREATE DATABASE IF NOT EXISTS warehouse", queryLogTable,
		"CREATE VIEW IF NOT EXISTS system.query_log AS SELECT * FROM warehouse.query_log",
	} {
		if err := conn.Exec(sql); err != nil {
			return nil, fmt.Errorf("prepare the query log: %w", err)
		}
	}
	l := &queryLog{
		engine: engine, log: log, entries: make(chan logEntry, logQueue),
		flushed: make(chan chan struct{}), stop: make(chan struct{}),
	}
	go l.run()
	return l, nil
}

func (l *queryLog) add(e logEntry) {
	if len(e.Query) > logLength {
		e.Query = e.Query[:logLength]
	}
	select {
	case l.entries <- e:
	default:
		l.dropped.Add(1)
	}
}

// flush returns when all entries added before it are written.
func (l *queryLog) flush() {
	done := make(chan struct{})
	l.flushed <- done
	<-done
}

// close writes the remaining entries. Entries added later are lost.
func (l *queryLog) close() {
	l.flush()
	close(l.stop)
}

func (l *queryLog) run() {
	ticker := time.NewTicker(logEvery)
	defer ticker.Stop()
	var rows []logEntry
	for {
		select {
		case <-l.stop:
			return
		case e := <-l.entries:
			if rows = append(rows, e); len(rows) < logBatch {
				continue
			}
			l.write(rows)
		case <-ticker.C:
			l.write(rows)
		case done := <-l.flushed:
			for range len(l.entries) {
				rows = append(rows, <-l.entries)
			}
			l.write(rows)
			close(done)
		}
		rows = nil
	}
}

func (l *queryLog) write(rows []logEntry) {
	if len(rows) == 0 {
		return
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	for _, row := range rows {
		_ = encoder.Encode(row)
	}
	err := l.insert(text.Bytes())
	dropped := l.dropped.Swap(0)
	if err != nil {
		dropped += uint64(len(rows))
	}
	if dropped > 0 {
		l.log.Warn("queries are missing in the query log", "queries", dropped, "error", err)
	}
}

func (l *queryLog) insert(text []byte) error {
	conn, err := l.engine.Connect()
	if err != nil {
		return err
	}
	defer conn.Close()
	stream, err := conn.Insert("INSERT INTO warehouse.query_log", "JSONEachRow", nil)
	if err != nil {
		return err
	}
	if err := stream.Append(text); err != nil {
		stream.Cancel()
		return err
	}
	_, err = stream.Done()
	return err
}
