// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"cmp"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/sqltext"
)

// pieces are the buffers between the network and the engine, 1 MiB each.
var pieces = sync.Pool{New: func() any { b := make([]byte, 1<<20); return &b }}

// insert feeds the request's data to the engine and answers when it is committed.
// A body that ends early, does not decode or does not parse commits nothing of its last block.
func (q *query) insert(in sqltext.Insert, data io.Reader) error {
	if in.FromFile {
		return notImplemented("INSERT … FROM INFILE reads a file of the client, which a server cannot. Send the file as the body.")
	}
	if err := q.req.mayWrite(); err != nil {
		return err
	}
	if err := permit(q.req.user, in.Text); err != nil {
		return err
	}
	format := cmp.Or(in.Format, q.req.defaultFormat, "Values")
	// After the check of the client's text: the settings may name what the text must not.
	if err := q.insertSettings(&in); err != nil {
		return err
	}
	stream, err := q.conn.Insert(in.Text, format, q.req.params)
	if err != nil {
		return err
	}
	if err := q.feed(stream, data); err != nil {
		stream.Cancel()
		return err
	}
	stats, err := stream.Done()
	if err != nil {
		return err
	}
	if err := q.server.Flusher.Inserted(); err != nil {
		return notFlushed(err)
	}
	q.stats = stats
	q.setHeaders("")
	q.setSummary(stats)
	q.w.WriteHeader(http.StatusOK)
	return nil
}

// notFlushed leaves the rows stored: a client that sends them again under the same token has them flushed then.
func notFlushed(err error) error {
	return failure(1001, "STD_EXCEPTION", "The rows are stored, and may not survive a power loss: %v", err)
}

// insertSettings gives an INSERT the request's settings as a clause of its text: each further statement would cost
// about as much as the insert of some thousand rows.
func (q *query) insertSettings(in *sqltext.Insert) error {
	switch {
	case q.conn.session != nil:
		return nil
	case in.OwnSettings:
		return q.conn.applySettings()
	}
	in.Text = strings.TrimSpace(in.Text) + " SETTINGS " + q.req.assignments()
	return nil
}

// feed passes the data on in pieces. Only a clean end of the data counts as its end.
func (q *query) feed(stream *chdb.Insert, data io.Reader) error {
	piece := pieces.Get().(*[]byte)
	defer pieces.Put(piece)
	for {
		n, err := fill(*piece, data)
		if appendErr := stream.Append((*piece)[:n]); appendErr != nil {
			return appendErr
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return undecodable(q.r.Header.Get("Content-Encoding"), err)
		}
	}
}

// fill reads until the buffer is full or the data ends. Unlike io.ReadFull it never mistakes a body
// that was cut off for one that ended.
func fill(buffer []byte, data io.Reader) (n int, err error) {
	for n < len(buffer) && err == nil {
		var got int
		got, err = data.Read(buffer[n:])
		n += got
	}
	return n, err
}
