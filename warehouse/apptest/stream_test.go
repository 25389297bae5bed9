// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"bufio"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"tailrace.dev/warehouse/warehousetest"
)

func TestLargeAnswerIsComplete(t *testing.T) {
	w := warehousetest.Start(t)
	const rows = 5_000_000
	for _, encoding := range []string{"", "gzip"} {
		response := w.MustSend(t, warehousetest.Request{
			Params: url.Values{"enable_http_compression": {"1"}},
			Header: http.Header{"Accept-Encoding": {encoding}},
			Body:   []byte("SELECT sipHash64(number) FROM numbers(5000000) FORMAT RowBinary"),
		})
		body := response.Body
		if encoding == "gzip" {
			body = gunzip(t, body)
		}
		if response.Err != nil || len(body) != 8*rows {
			t.Fatalf("%q: %d bytes, want %d: %v", encoding, len(body), 8*rows, response.Err)
		}
		var sum uint64
		for at := 0; at < len(body); at += 8 {
			sum += binary.LittleEndian.Uint64(body[at:])
		}
		var want uint64
		for _, digit := range w.Query(t, "SELECT sum(sipHash64(number)) FROM numbers(5000000)") {
			want = want*10 + uint64(digit-'0')
		}
		if sum != want {
			t.Errorf("%q: checksum %d, want %d", encoding, sum, want)
		}
	}
}

// Both run until they are ended; the first row of one comes at once, the other has none.
const (
	endlessRows   = "SELECT number FROM system.numbers /* endless */"
	endlessSilent = "SELECT count() FROM system.numbers WHERE NOT ignore(sipHash64(number)) /* endless */ FORMAT JSON"
)

func TestQueryEndsWhenItsClientGoesAway(t *testing.T) {
	w := warehousetest.Start(t)
	for _, sql := range []string{endlessRows, endlessSilent} {
		ctx, cancel := context.WithCancel(t.Context())
		request, _ := http.NewRequestWithContext(ctx, http.MethodPost, w.URL, strings.NewReader(sql))
		request.SetBasicAuth(w.User, w.Password)
		go func() {
			response, err := http.DefaultClient.Do(request)
			if err == nil {
				_, _ = io.ReadFull(response.Body, make([]byte, 1<<20))
				<-ctx.Done()
				_ = response.Body.Close()
			}
		}()
		waitFor(t, w, "1", sql)
		cancel()
		waitFor(t, w, "0", sql)
	}
}

func waitFor(t *testing.T, w *warehousetest.Warehouse, want, what string) {
	t.Helper()
	const running = "SELECT count() FROM system.processes WHERE query LIKE '%endless%' AND query NOT LIKE '%processes%'"
	for deadline := time.Now().Add(30 * time.Second); w.Query(t, running) != want; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("the number of running queries did not become %s: %s", want, what)
		}
	}
}

func TestInsertCutOffByItsClientStoresNothing(t *testing.T) {
	w := warehousetest.Start(t)
	w.Query(t, "CREATE TABLE t (a UInt32) ENGINE = MergeTree ORDER BY a")
	f := func(head, sent string) {
		t.Helper()
		conn, err := net.Dial("tcp", strings.TrimPrefix(w.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		request, _ := http.NewRequest(http.MethodPost, w.URL, nil)
		request.SetBasicAuth(w.User, w.Password)
		_, err = io.WriteString(conn, "POST /?query=INSERT+INTO+t+FORMAT+TSV HTTP/1.1\r\nHost: w\r\nAuthorization: "+
			request.Header.Get("Authorization")+"\r\n"+head+"\r\n\r\n"+sent)
		if err != nil {
			t.Fatal(err)
		}
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err == nil {
			if response.StatusCode == http.StatusOK {
				t.Errorf("%s: an INSERT cut off was answered with 200", head)
			}
			_ = response.Body.Close()
		}
		_ = conn.Close()
	}
	f("Content-Length: 100", "1\n2\n")
	f("Transfer-Encoding: chunked", "4\r\n1\n2\n\r\n")
	if got := w.Query(t, "SELECT count() FROM t"); got != "0" {
		t.Errorf("%s rows stored", got)
	}
}
