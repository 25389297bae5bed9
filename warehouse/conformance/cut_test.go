// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"
)

// wholeOrError fails the test when a client took a part of an answer for the complete one.
func wholeOrError(t *testing.T, r reader, got, want sum, err error) (sawError bool) {
	t.Helper()
	if err == nil && got != want {
		t.Errorf("%s saw no error and %d of %d rows (%+v, want %+v)", r.name, got.Rows, want.Rows, got, want)
	}
	return err != nil
}

// TestConnectionCutInMidAnswer cuts every client's connection somewhere in the answer, with a reset or with a close that
// looks like a regular one.
func TestConnectionCutInMidAnswer(t *testing.T) {
	s := start(t)
	const n = 200_000
	want := expected(n)
	times := 1
	if full {
		times = 10
	}
	random := rand.New(rand.NewPCG(1, 2))
	for _, r := range readers() {
		for i := range times {
			// The answer has a few hundred KiB even when compressed well; clickhouse-go and -connect first send
			// a few small queries over separate connections.
			after := 20_000 + random.Int64N(180_000)
			p := cutting(t, s.address, after, i%2 == 1 || random.Int64N(2) == 1)
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			got, err := r.read(ctx, s, p.address, n)
			cancel()
			if sawError := wholeOrError(t, r, got, want, err); !sawError && p.cuts.Load() > 0 {
				t.Errorf("%s: its connection was cut after %d bytes, and it saw no error", r.name, after)
			}
			if p.cuts.Load() == 0 {
				t.Errorf("%s: nothing was cut at %d bytes: the test has shown nothing", r.name, after)
			}
		}
	}
}

// TestServerKilledInMidAnswer kills the server while clients read. The answers are far too long to be complete by then.
func TestServerKilledInMidAnswer(t *testing.T) {
	s := start(t)
	const n = 500_000_000
	// Parquet and JSON would be collected in the test's memory.
	chosen := map[string]bool{
		"curl": true, "net/http, TSV, plain": true, "net/http, TSV, zstd": full, "net/http, TSV, gzip": full, "net/http, TSV, br": full,
		"net/http, TSV, native blocks": true, "clickhouse-go, none": full, "clickhouse-go, lz4": true, "clickhouse-go, zstd": full,
		"clickhouse-connect, none": full, "clickhouse-connect, lz4": true, "clickhouse-connect, zstd": full,
	}
	all := slices.DeleteFunc(readers(), func(r reader) bool { return !chosen[r.name] })
	for begin := 0; begin < len(all); begin += 5 {
		group := all[begin:min(begin+5, len(all))]
		ended := make(chan reader, len(group))
		for _, r := range group {
			go func() {
				got, err := r.read(t.Context(), s, s.address, n)
				if err == nil {
					t.Errorf("%s: the server was killed in mid-answer; it saw no error and %d rows", r.name, got.Rows)
				}
				ended <- r
			}()
		}
		waitFor(t, "all queries run", func() bool {
			return s.run(t, "SELECT count() FROM system.processes WHERE read_rows > 1000000 AND query LIKE '%500000000%' AND query NOT LIKE '%processes%'", nil) >= string(rune('0'+len(group)))
		})
		restart := s.crash(t)
		for range group {
			<-ended
		}
		restart()
		waitFor(t, "the server is back", func() bool {
			response, err := client.Get("http://" + s.address + "/ping")
			if err == nil {
				_ = response.Body.Close()
			}
			return err == nil
		})
	}
}

// TestClientGoneEndsItsQuery: a query without a client must not go on.
func TestClientGoneEndsItsQuery(t *testing.T) {
	s := start(t)
	running := func() string {
		return s.run(t, "SELECT count() FROM system.processes WHERE query LIKE '%/* abandoned */%' AND query NOT LIKE '%processes%'", nil)
	}
	for _, sql := range []string{
		"SELECT number FROM system.numbers /* abandoned */ FORMAT TSV",
		"SELECT number FROM system.numbers /* abandoned */ FORMAT JSON",
		"SELECT count() FROM system.numbers WHERE NOT ignore(sipHash64(number)) /* abandoned */ FORMAT Native",
	} {
		ctx, cancel := context.WithCancel(t.Context())
		gone := make(chan struct{})
		go func() {
			defer close(gone)
			params := map[string][]string{"cancel_http_readonly_queries_on_client_close": {"1"}}
			response, err := client.Do(s.request(ctx, s.address, params, strings.NewReader(sql)))
			if err == nil {
				<-ctx.Done()
				_ = response.Body.Close()
			}
		}()
		waitFor(t, "it runs: "+sql, func() bool { return running() == "1" })
		cancel()
		<-gone
		waitFor(t, "it has ended: "+sql, func() bool { return running() == "0" })
	}
}
