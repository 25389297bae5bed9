// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"errors"
	"io"
	"net/http"
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
	if readOnly, refusal := q.mayOnlyRead(); readOnly {
		return refusal
	}
	if err := q.permit(in.Text); err != nil {
		return err
	}
	format := in.Format
	if format == "" {
		format = q.req.defaultFormat
	}
	if format == "" {
		format = "Values"
	}
	// After the check of what the client wrote: the settings may say what it must not.
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
	q.stats = stats
	q.setHeaders("")
	q.setSummary(stats)
	q.w.WriteHeader(http.StatusOK)
	return nil
}

// feed hands the data on in pieces. Only a clean end of the data counts as its end.
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
