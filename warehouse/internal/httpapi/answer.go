// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/native"
)

// stalled is how long a client may take to accept a piece of its answer.
const stalled = 5 * time.Minute

// answer writes a query's result. Headers go out with the first bytes, so an error before them still gets
// its own status; an error after them breaks the connection off behind a text that states the reason.
type answer struct {
	q       *query
	format  string
	started bool
	stats   chdb.Stats
	tag     string
	body    io.Writer
	encoder flushWriter
	// kept holds the whole answer until its query has ended; nil when the answer is sent as it comes.
	kept *answerBuffer
}

// brokenOff is an error after the answer had begun: the client has received it, and the connection must end.
type brokenOff struct{ error }

func (b *brokenOff) Unwrap() error { return b.error }

func (q *query) newAnswer(format string) *answer {
	a := &answer{q: q, format: format}
	if q.req.waitEnd {
		a.kept = &answerBuffer{dir: q.server.AnswerDir, limit: q.server.MaxAnswer}
		q.closers = append(q.closers, a.kept.close)
	}
	return a
}

// write takes a piece of the result and the counts that belong to it.
func (a *answer) write(data []byte, stats chdb.Stats) error {
	a.stats.Add(stats)
	data, err := a.frame(data)
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

// frame fits Native blocks to the protocol revision that the client asked for.
func (a *answer) frame(data []byte) ([]byte, error) {
	if !native.Is(a.format) || a.q.req.revision < native.FirstFramed {
		return data, nil
	}
	framed, err := native.Frame(data)
	if err != nil {
		return nil, notImplemented("%v. Ask with client_protocol_version=0, or cast the column to another type.", err)
	}
	return framed, nil
}

func (a *answer) send(data []byte) error {
	control := http.NewResponseController(a.q.w)
	_ = control.SetWriteDeadline(time.Now().Add(stalled))
	_, err := a.body.Write(data)
	if err == nil && a.encoder != nil {
		err = a.encoder.Flush()
	}
	if err == nil {
		err = control.Flush()
	}
	if err != nil {
		return fmt.Errorf("send answer: %w", err)
	}
	return nil
}

// start chooses the encoding and sends the headers.
func (a *answer) start() {
	if a.started {
		return
	}
	a.started = true
	a.tag = rand.Text()[:16]
	a.body = a.q.w
	header := a.q.w.Header()
	if a.q.req.httpCompress {
		var name string
		if a.encoder, name = encoder(a.q.r.Header.Get("Accept-Encoding"), a.body); a.encoder != nil {
			a.body = a.encoder
			header.Set("Content-Encoding", name)
			header.Set("Vary", "Accept-Encoding")
		}
	}
	if a.q.req.compress {
		a.body = newFrameWriter(a.body, a.q.req.settings["network_compression_method"])
	} else if a.kept != nil && a.encoder == nil {
		header.Set("Content-Length", strconv.FormatInt(a.kept.size, 10))
	}
	a.q.setHeaders(a.format)
	a.q.setSummary(a.stats)
	header.Set(exceptionTagHeader, a.tag)
	a.q.w.WriteHeader(http.StatusOK)
}

// end completes the answer, or makes sure that no client takes it for complete.
func (a *answer) end(err error) error {
	if err != nil && !a.started {
		return err
	}
	if err == nil {
		if err = a.finish(); err == nil {
			return nil
		}
	}
	text := exceptionText(asEngineError(err), a.q.server.Engine.Version())
	_, _ = fmt.Fprintf(a.body, "\r\n__exception__\r\n%s\r\n%s\n%d %s\r\n__exception__\r\n", a.tag, text, len(text)+1, a.tag)
	if a.encoder != nil {
		// Not closed: a decoder that stops where its frame ends must not find that end.
		_ = a.encoder.Flush()
	}
	_ = http.NewResponseController(a.q.w).Flush()
	return &brokenOff{err}
}

// finish sends what was held back and closes the encoding.
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
