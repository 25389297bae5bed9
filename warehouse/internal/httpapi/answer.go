// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"tailrace.dev/warehouse/internal/chdb"
)

// answer writes a query's result. Headers go out with the first chunk, so an error before it still gets
// its own status; an error after it breaks the connection off behind a text that says why.
type answer struct {
	q       *query
	format  string
	started bool
	begun   time.Time
	tag     string
	body    io.Writer
	encoder flushWriter
}

func newAnswer(q *query, format string) *answer {
	return &answer{q: q, format: format, begun: time.Now()}
}

func (a *answer) write(chunk *chdb.Result) error {
	data, err := a.q.frame(a.format, chunk.Bytes())
	if err != nil {
		return err
	}
	if !a.started {
		a.start(chunk.Stats())
	}
	if len(data) == 0 {
		return nil
	}
	if _, err := a.body.Write(data); err != nil {
		return fmt.Errorf("send answer: %w", err)
	}
	return a.flush()
}

func (a *answer) start(stats chdb.Stats) {
	a.started = true
	tag := make([]byte, 8)
	_, _ = rand.Read(tag)
	a.tag = hex.EncodeToString(tag)
	a.body = a.q.w
	header := a.q.w.Header()
	if a.q.req.httpCompress {
		var name string
		if a.encoder, name = encoder(a.q.r.Header.Get("Accept-Encoding"), a.q.w); a.encoder != nil {
			a.body = a.encoder
			header.Set("Content-Encoding", name)
			header.Set("Vary", "Accept-Encoding")
		}
	}
	if a.q.req.compress {
		a.body = newBlockWriter(a.body, a.q.req.settings["network_compression_method"])
	}
	a.q.setHeaders(a.format)
	a.q.setSummary(stats)
	header.Set(exceptionTagHeader, a.tag)
	a.q.w.WriteHeader(http.StatusOK)
}

func (a *answer) flush() error {
	if a.encoder != nil {
		if err := a.encoder.Flush(); err != nil {
			return fmt.Errorf("send answer: %w", err)
		}
	}
	if err := http.NewResponseController(a.q.w).Flush(); err != nil {
		return fmt.Errorf("send answer: %w", err)
	}
	return nil
}

// end completes the answer, or makes sure that nobody takes it for complete.
func (a *answer) end(err error) error {
	if err != nil && !a.started {
		return err
	}
	if err == nil {
		if !a.started {
			a.start(chdb.Stats{})
		}
		if a.encoder == nil {
			return nil
		}
		if err = a.encoder.Close(); err == nil {
			return nil
		}
	}
	text := a.q.server.exceptionText(asEngineError(err))
	_, _ = fmt.Fprintf(a.body, "\r\n__exception__\r\n%s\r\n%s\n%d %s\r\n__exception__\r\n", a.tag, text, len(text)+1, a.tag)
	if a.encoder != nil {
		_ = a.encoder.Close()
	}
	_ = http.NewResponseController(a.q.w).Flush()
	a.q.server.log.Info("query failed after its answer had begun", "request", a.q.id, "code", asEngineError(err).Code)
	panic(http.ErrAbortHandler)
}

// setHeaders tells the client what a ClickHouse server tells.
func (q *query) setHeaders(format string) {
	header := q.w.Header()
	id := q.req.queryID
	if id == "" {
		id = strconv.FormatUint(q.id, 10)
	}
	header.Set("X-ClickHouse-Query-Id", id)
	header.Set("X-ClickHouse-Server-Display-Name", q.server.hostname)
	header.Set("X-ClickHouse-Timezone", "UTC")
	if format == "" {
		header.Set("Content-Type", plainText)
		return
	}
	header.Set("X-ClickHouse-Format", format)
	header.Set("Content-Type", contentType(format))
}

// setSummary gives the counts known when the answer begins; a streamed SELECT goes on counting.
func (q *query) setSummary(s chdb.Stats) {
	q.w.Header().Set("X-ClickHouse-Summary", fmt.Sprintf(
		`{"read_rows":"%d","read_bytes":"%d","written_rows":"%d","written_bytes":"%d","total_rows_to_read":"0","result_rows":"%d","result_bytes":"%d"}`,
		s.ReadRows, s.ReadBytes, s.WrittenRows, s.WrittenBytes, s.ResultRows, s.ResultBytes))
}
