// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/config/configopaque"
	"go.opentelemetry.io/collector/pdata/plog"
)

// wire records requests as they would be written to a connection, and answers each with an empty 200.
type wire struct{ written []string }

func (w *wire) RoundTrip(r *http.Request) (*http.Response, error) {
	var text bytes.Buffer
	if err := r.Write(&text); err != nil {
		return nil, err
	}
	w.written = append(w.written, text.String())
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
}

type credentials struct{ username, password, database string }

var credentialSeeds = []credentials{
	{"tailrace", "hunter2", "default"}, {"", "", "d&query=DROP"}, {"u\r\nX-Other: 1", "p", "d"}, {"ü", "p\x00", "a b\r\n"},
}

// FuzzInsertRequest checks that a record outside the contract is never sent, and that a block is sent as one request with
// the headers and parameters of the contract, whatever its texts are.
func FuzzInsertRequest(f *testing.F) {
	for i, s := range sentSeeds {
		c := credentialSeeds[i%len(credentialSeeds)]
		f.Add(s.run, s.worker, s.stream, s.seq, s.rows, s.encoding, s.body, c.username, c.password, c.database)
	}
	f.Fuzz(func(t *testing.T, run string, worker int64, stream string, seq, rows int64, encoding string, body []byte,
		user, password, database string,
	) {
		checkInsertRequest(t, sent{run, stream, encoding, "", worker, seq, rows, body}, credentials{user, password, database})
	})
}

func TestInsertRequestMutations(t *testing.T) {
	r := repeatable()
	written := 0
	for _, seed := range sentSeeds {
		for _, c := range credentialSeeds {
			for range mutationsEach / 8 {
				c := credentials{mutated(r, c.username), mutated(r, c.password), mutated(r, c.database)}
				written += checkInsertRequest(t, seed.mutated(r), c)
			}
		}
	}
	if written < 100 {
		t.Fatalf("only %d requests were made: the mutations try nothing", written)
	}
}

// checkInsertRequest returns the number of requests.
func checkInsertRequest(t *testing.T, s sent, c credentials) int {
	t.Helper()
	cfg := configFor("http://127.0.0.1:1")
	cfg.Username, cfg.Password, cfg.Database = c.username, configopaque.String(c.password), c.database
	if cfg.Validate() != nil {
		return 0
	}
	e, err := newBlockExporter(cfg, componenttest.NewNopTelemetrySettings())
	if err != nil {
		t.Fatal(err)
	}
	connection := &wire{}
	e.client, e.secret = &http.Client{Transport: connection}, &secret{value: cfg.Password}
	logs := plog.NewLogs()
	record := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	s.record().CopyTo(record)
	record.Attributes().Remove(attrColumns)
	b, invalid := parseBlock(record, false)
	err = e.export(context.Background(), logs)
	if invalid != nil {
		if err == nil || len(connection.written) > 0 {
			t.Fatalf("sent a record outside the contract: %q", connection.written)
		}
		return 0
	}
	if err != nil || len(connection.written) != 1 {
		t.Fatalf("%d requests, %v", len(connection.written), err)
	}
	checkWritten(t, connection.written[0], b, c)
	return 1
}

func checkWritten(t *testing.T, text string, b *block, c credentials) {
	t.Helper()
	reader := bufio.NewReader(strings.NewReader(text))
	request, err := http.ReadRequest(reader)
	if err != nil {
		t.Fatalf("%v: %q", err, text)
	}
	body, err := io.ReadAll(request.Body)
	if err != nil || !bytes.Equal(body, b.body) || reader.Buffered() > 0 {
		t.Fatalf("body %q, left over %d bytes, %v", body, reader.Buffered(), err)
	}
	want := []string{"Content-Encoding", "Content-Length", "Content-Type", "User-Agent"}
	if c.username != "" {
		want = append(want, "X-Clickhouse-Key", "X-Clickhouse-User")
	}
	if got := slices.Sorted(maps.Keys(request.Header)); !slices.Equal(got, want) {
		t.Fatalf("headers %q", got)
	}
	for name, value := range map[string]string{
		"database": c.database, "query": inserts[b.stream].statement, "insert_deduplication_token": b.token(), "async_insert": "0",
	} {
		if got := request.URL.Query()[name]; len(got) != 1 || got[0] != value {
			t.Fatalf("%s is %q, want %q", name, got, value)
		}
	}
	if len(request.URL.Query()) != 7 || request.URL.Path != "/" || request.Method != http.MethodPost {
		t.Fatalf("request %s %s", request.Method, request.URL)
	}
}
