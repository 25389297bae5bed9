// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// insertTSV sends n numbers as one block; the token makes it safe to repeat.
func (s *server) insertTSV(table, token string, from, n int) (accepted bool, err error) {
	var body bytes.Buffer
	for i := range n {
		fmt.Fprintf(&body, "%d\n", from+i)
	}
	params := url.Values{
		"query": {"INSERT INTO " + table + " FORMAT TSV"}, "insert_deduplication_token": {token}, "async_insert": {"0"},
	}
	response, err := client.Do(s.request(context.Background(), s.address, params, &body))
	if err != nil {
		return false, err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %.300s", response.StatusCode, text)
	}
	return err == nil, err
}

const tokens = "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 10000"

// TestFiftyClientsAtOnce lets fifty clients write, read and fail at the same time.
func TestFiftyClientsAtOnce(t *testing.T) {
	s := start(t)
	s.run(t, tokens, nil)
	const clients, n, size = 50, 1000, 5000
	rounds := 3
	if full {
		rounds = 20
	}
	want := expected(size)
	var working sync.WaitGroup
	for c := range clients {
		working.Go(func() {
			for round := range rounds {
				number := c*rounds + round
				if _, err := s.insertTSV("t", fmt.Sprint(number), number*n, n); err != nil {
					t.Errorf("client %d: insert: %v", c, err)
				}
				format := []string{"TSV", "JSON", "RowBinary", "CSV", "JSONEachRow"}[number%5]
				e := encodings[number%len(encodings)]
				body, done, err := s.fetch(s.address, rows(size)+" FORMAT "+format, e, nil)
				if err != nil {
					t.Errorf("client %d: %s, %s: %v", c, format, e.name, err)
					continue
				}
				if got, err := decoders[format](body); err != nil || got != want {
					t.Errorf("client %d: %s, %s: %+v, want %+v: %v", c, format, e.name, got, want, err)
				}
				done()
				if _, _, err := s.fetch(s.address, "SELECT nope", e, nil); err == nil {
					t.Errorf("client %d: an error became an answer", c)
				}
			}
		})
	}
	working.Wait()
	total := clients * rounds * n
	if got, want := s.run(t, "SELECT count(), uniqExact(a), max(a) FROM t", nil), fmt.Sprintf("%d\t%d\t%d", total, total, total-1); got != want {
		t.Errorf("stored %s, want %s", got, want)
	}
}

// TestKillUnderWrites kills the server while clients write; each client repeats what was not acknowledged.
func TestKillUnderWrites(t *testing.T) {
	s := start(t)
	s.run(t, tokens, nil)
	const writers, n = 4, 500
	crashes := 2
	if full {
		crashes = 10
	}
	var acked, resent atomic.Int64
	stop := make(chan struct{})
	blocks := make([]int, writers)
	var writing sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for ; ; blocks[w]++ {
				select {
				case <-stop:
					return
				default:
				}
				number := blocks[w]*writers + w
				deadline := time.Now().Add(time.Minute)
				for {
					ok, err := s.insertTSV("t", fmt.Sprint(number), number*n, n)
					if ok {
						break
					}
					if time.Now().After(deadline) {
						t.Errorf("writer %d: never accepted: %v", w, err)
						return
					}
					resent.Add(1)
					time.Sleep(10 * time.Millisecond)
				}
				acked.Add(1)
			}
		})
	}
	for range crashes {
		before := acked.Load()
		waitFor(t, "blocks are written", func() bool { return acked.Load() > before+20 })
		s.crash(t)()
	}
	close(stop)
	writing.Wait()
	if resent.Load() == 0 {
		t.Error("no crash interrupted a writer: the test has shown nothing")
	}
	total := int(acked.Load()) * n
	if got, want := s.run(t, "SELECT count(), uniqExact(a) FROM t", nil), fmt.Sprintf("%d\t%d", total, total); got != want {
		t.Errorf("stored %s, want %s: %d blocks acknowledged, %d sent again", got, want, acked.Load(), resent.Load())
	}
}
