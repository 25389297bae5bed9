// SPDX-License-Identifier: Apache-2.0

package warehousetest

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// Request is one HTTP request. User and password are added unless Header has an Authorization.
type Request struct {
	Method string     // POST when empty
	Params url.Values // may be nil
	Header http.Header
	Body   []byte
}

// Response is an answer read to its end. Err is set when it broke off.
type Response struct {
	Status int
	Header http.Header
	Body   []byte
	Err    error
}

// Code is the ClickHouse error code, or empty.
func (r Response) Code() string { return r.Header.Get("X-ClickHouse-Exception-Code") }

// Send sends a request. It returns an error only when no answer came.
func (w *Warehouse) Send(r Request) (Response, error) {
	method := r.Method
	if method == "" {
		method = http.MethodPost
	}
	request, err := http.NewRequestWithContext(context.Background(), method, w.URL+"/?"+r.Params.Encode(), bytes.NewReader(r.Body))
	if err != nil {
		return Response{}, err
	}
	maps.Copy(request.Header, r.Header)
	if _, set := r.Header["Authorization"]; !set {
		request.SetBasicAuth(w.User, w.Password)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return Response{}, err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	return Response{Status: response.StatusCode, Header: response.Header, Body: body, Err: err}, nil
}

// MustSend sends a request and fails the test when no answer comes.
func (w *Warehouse) MustSend(t testing.TB, r Request) Response {
	t.Helper()
	response, err := w.Send(r)
	if err != nil {
		t.Fatalf("send: %v", err)
	}
	return response
}

// Query runs a statement that must succeed, and returns its answer without the last line end.
func (w *Warehouse) Query(t testing.TB, sql string) string {
	t.Helper()
	response := w.MustSend(t, Request{Body: []byte(sql)})
	if response.Status != http.StatusOK || response.Err != nil {
		t.Fatalf("query %s: status %d, %v\n%s", sql, response.Status, response.Err, response.Body)
	}
	return strings.TrimSuffix(string(response.Body), "\n")
}

// Insert is the request that the collector sends: a zstd-compressed Native block under a token.
// The statement has no FORMAT clause.
func Insert(statement, token string, block []byte) Request {
	return Request{
		Params: url.Values{
			"query":                      {statement + " FORMAT Native"},
			"async_insert":               {"0"},
			"insert_deduplicate":         {"1"},
			"insert_deduplication_token": {token},
			"deduplicate_blocks_in_dependent_materialized_views": {"1"},
			"input_format_skip_unknown_fields":                   {"0"},
		},
		Header: http.Header{"Content-Encoding": {"zstd"}},
		Body:   block,
	}
}

// Block returns the rows of a SELECT as a zstd-compressed Native block.
func (w *Warehouse) Block(t testing.TB, selectSQL string) []byte {
	t.Helper()
	response := w.MustSend(t, Request{Body: []byte(selectSQL + " FORMAT Native")})
	if response.Status != http.StatusOK || response.Err != nil {
		t.Fatalf("make a block: status %d, %v\n%s", response.Status, response.Err, response.Body)
	}
	return Compress(t, response.Body)
}

// Compress returns a zstd frame.
func Compress(t testing.TB, data []byte) []byte {
	t.Helper()
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatalf("zstd: %v", err)
	}
	return encoder.EncodeAll(data, nil)
}
