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

// stalled is how long a client may take to accept a piece of its answer.
const stalled = 5 * time.Minute

// answer writes a query's result. Headers go out with the first bytes, so an error before them still gets
// its own status; an error after them breaks the connection off behind a text that says why.
type answer struct {
	q       *query
	format  string
	started bool
	stats   chdb.Stats
	tag     string
	body    io.Writer
	encoder flushWriter
	// kept holds the whole answer back until its query has ended; nil where it is sent as it comes.
	kept *spool
	// progress ends the progress report and gives its lines.
	progress func() []string
}

// brokenOff is an error after the answer had begun: the client has been told, the connection must go.
type brokenOff struct{ error }

func (b *brokenOff) Unwrap() error { return b.error }

// newAnswer begins nothing yet. A client that asked to wait gets the answer when the query has ended; so does
// one of HTTP/1.0, to which only a Content-Length can tell a whole answer from one that was cut off.
func newAnswer(q *query, format string) *answer {
	a := &answer{q: q, format: format, progress: q.reportProgress()}
	if q.req.waitEnd || !q.r.ProtoAtLeast(1, 1) {
		a.kept = &spool{dir: q.server.spoolDir, limit: q.server.maxAnswer}
		q.closers = append(q.closers, a.kept.close)
	}
	q.closers = append(q.closers, func() { a.progress() })
	return a
}

// write takes a piece of the result, and what the engine did for it.
func (a *answer) write(data []byte, stats chdb.Stats) error {
	a.stats.Add(stats)
	data, err := a.q.frame(a.format, data)
	if err != nil {
		return err
	}
	if a.kept != nil {
		_, err := a.kept.Write(data)
		return err
	}
	a.start()
	if len(data) == 0 {
		return nil
	}
	return a.send(data)
}

func (a *answer) send(data []byte) error {
	control := http.NewResponseController(a.q.w)
	_ = control.SetWriteDeadline(time.Now().Add(stalled))
	if _, err := a.body.Write(data); err != nil {
		return fmt.Errorf("send answer: %w", err)
	}
	if a.encoder != nil {
		if err := a.encoder.Flush(); err != nil {
			return fmt.Errorf("send answer: %w", err)
		}
	}
	if err := control.Flush(); err != nil {
		return fmt.Errorf("send answer: %w", err)
	}
	return nil
}

func (a *answer) start() {
	if a.started {
		return
	}
	a.started = true
	tag := make([]byte, 8)
	_, _ = rand.Read(tag)
	a.tag = hex.EncodeToString(tag)
	a.body = a.q.w
	if a.q.r.Method == http.MethodHead {
		a.body = io.Discard
	}
	header := a.q.w.Header()
	if a.q.req.httpCompress && a.q.r.ProtoAtLeast(1, 1) {
		var name string
		if a.encoder, name = encoder(a.q.r.Header.Get("Accept-Encoding"), a.body); a.encoder != nil {
			a.body = a.encoder
			header.Set("Content-Encoding", name)
			header.Set("Vary", "Accept-Encoding")
		}
	}
	if a.q.req.compress {
		a.body = newBlockWriter(a.body, a.q.req.settings["network_compression_method"])
	} else if a.kept != nil && a.encoder == nil {
		header.Set("Content-Length", strconv.FormatInt(a.kept.size, 10))
	}
	for _, line := range a.progress() {
		header.Add("X-ClickHouse-Progress", line)
	}
	a.q.setHeaders(a.format)
	a.q.setSummary(a.stats)
	header.Set(exceptionTagHeader, a.tag)
	a.q.w.WriteHeader(http.StatusOK)
}

// end completes the answer, or makes sure that nobody takes it for complete.
func (a *answer) end(err error) error {
	a.q.stats = a.stats
	if err != nil && !a.started {
		return err
	}
	if err == nil {
		if err = a.finish(); err == nil {
			return nil
		}
	}
	text := a.q.server.exceptionText(asEngineError(err))
	_, _ = fmt.Fprintf(a.body, "\r\n__exception__\r\n%s\r\n%s\n%d %s\r\n__exception__\r\n", a.tag, text, len(text)+1, a.tag)
	if a.encoder != nil {
		// Not closed: a decoder that stops where its frame ends must not find that end.
		_ = a.encoder.Flush()
	}
	_ = http.NewResponseController(a.q.w).Flush()
	return &brokenOff{err}
}

// finish sends what was kept back and closes the encoding.
func (a *answer) finish() error {
	a.start()
	if a.kept != nil {
		_ = http.NewResponseController(a.q.w).SetWriteDeadline(time.Time{})
		if err := a.kept.writeTo(a.body); err != nil {
			return fmt.Errorf("send answer: %w", err)
		}
	}
	if a.encoder == nil {
		return nil
	}
	return a.encoder.Close()
}

// setHeaders tells the client what a ClickHouse server tells.
func (q *query) setHeaders(format string) {
	header := q.w.Header()
	header.Set("X-ClickHouse-Query-Id", q.queryID)
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
		`{"read_rows":"%d","read_bytes":"%d","written_rows":"%d","written_bytes":"%d","total_rows_to_read":"0","result_rows":"%d","result_bytes":"%d","elapsed_ns":"%d"}`,
		s.ReadRows, s.ReadBytes, s.WrittenRows, s.WrittenBytes, s.ResultRows, s.ResultBytes, time.Since(q.begun).Nanoseconds()))
}
