// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// formats can be written and read. Those without a decoder here are checked by sending the answer back to the server as an
// INSERT.
var formats = []string{
	"TSV", "CSV", "JSONEachRow", "JSON", "RowBinary",
	"TSVWithNames", "TSVWithNamesAndTypes", "CSVWithNames", "JSONCompactEachRow", "JSONCompactEachRowWithNamesAndTypes",
	"JSONCompact", "JSONColumns", "RowBinaryWithNamesAndTypes", "Native", "MsgPack", "Values", "Parquet", "Arrow",
	"ArrowStream", "ORC", "Avro",
}

// plan returns the encodings to test with a format at a size: all of them in the full suite and for answers of one row;
// otherwise one, which differs from format to format.
func plan(format, size int) []encoding {
	if full || size == 1 {
		return encodings
	}
	return encodings[format%len(encodings):][:1]
}

func sizes() []int {
	if full {
		return []int{0, 1, 1000, 65_409, 300_000, 5_000_000}
	}
	return []int{0, 1, 130_000}
}

// fetch runs a query and returns the decoded body of its answer. Reading an answer that broke off returns an error.
func (s *server) fetch(at, sql string, e encoding, params url.Values) (io.Reader, func(), error) {
	all := url.Values{}
	maps.Copy(all, params)
	header := http.Header{}
	e.ask(all, header)
	request := s.request(context.Background(), at, all, strings.NewReader(sql))
	maps.Copy(request.Header, header)
	response, err := client.Do(request)
	if err != nil {
		return nil, nil, err
	}
	done := func() { _ = response.Body.Close() }
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		done()
		return nil, nil, fmt.Errorf("status %d: %.500s", response.StatusCode, text)
	}
	body, err := e.decode(response.Body)
	if err != nil {
		done()
		return nil, nil, err
	}
	return body, done, nil
}

// read decodes an answer. A format without a decoder here goes back to the server, into a new table.
func (s *server) read(t *testing.T, format string, body io.Reader) (sum, error) {
	t.Helper()
	if decode := decoders[format]; decode != nil {
		return decode(body)
	}
	data, err := io.ReadAll(body)
	if err != nil {
		return sum{}, err
	}
	s.run(t, "CREATE TABLE IF NOT EXISTS back (id UInt64, name String, h UInt64) ENGINE = MergeTree ORDER BY id", nil)
	s.run(t, "TRUNCATE TABLE back", nil)
	response, err := client.Do(s.request(t.Context(), s.address, url.Values{"query": {"INSERT INTO back FORMAT " + format}}, bytes.NewReader(data)))
	if err != nil {
		return sum{}, err
	}
	text, _ := io.ReadAll(response.Body)
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return sum{}, fmt.Errorf("the answer is not %s: %.300s", format, text)
	}
	var got sum
	_, err = fmt.Sscan(s.run(t, sumSQL+"back", nil), &got.Rows, &got.IDs, &got.Names, &got.Hashes)
	return got, err
}

func TestEveryFormatEncodingAndSize(t *testing.T) {
	s := start(t)
	tried := 0
	for _, size := range sizes() {
		want := expected(size)
		for at, format := range formats {
			if format == "JSONColumns" && size > 1_000_000 {
				continue // it collects all columns in memory, on any server
			}
			for _, e := range plan(at, size) {
				body, done, err := s.fetch(s.address, rows(size)+" FORMAT "+format, e, nil)
				var got sum
				if err == nil {
					got, err = s.read(t, format, body)
					if _, rest := io.Copy(io.Discard, body); !errors.Is(rest, io.EOF) {
						err = errors.Join(err, rest)
					}
					done()
				}
				if err != nil || got != want {
					t.Errorf("%d rows of %s, %s: %+v, want %+v: %v", size, format, e.name, got, want, err)
				}
				tried++
			}
		}
	}
	t.Logf("%d combinations", tried)
}

func TestEveryEncodingOfAnInsert(t *testing.T) {
	s := start(t)
	size := sizes()[len(sizes())-1]
	want := expected(size)
	plain, done, err := s.fetch(s.address, rows(size)+" FORMAT Native", encodings[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	block, err := io.ReadAll(plain)
	done()
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range encodings {
		s.run(t, "CREATE OR REPLACE TABLE sent (id UInt64, name String, h UInt64) ENGINE = MergeTree ORDER BY id", nil)
		var body bytes.Buffer
		w, err := e.encode(&body)
		if err == nil {
			_, err = w.Write(block)
			err = errors.Join(err, w.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		params, header := url.Values{"query": {"INSERT INTO sent FORMAT Native"}}, http.Header{}
		e.send(params, header)
		request := s.request(t.Context(), s.address, params, &body)
		maps.Copy(request.Header, header)
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		text, _ := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if got := s.run(t, sumSQL+"sent", nil); response.StatusCode != http.StatusOK || got != want.tsv() {
			t.Errorf("%s: status %d %.300s; stored %s, want %s", e.name, response.StatusCode, text, got, want.tsv())
		}
	}
}
