// SPDX-License-Identifier: Apache-2.0

package conformance

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"

	"github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// reader is a client program that reads rows(n) from an address. It returns the sum of what it takes for the complete
// answer, or the error that it met.
type reader struct {
	name string
	read func(ctx context.Context, s *server, at string, n int) (sum, error)
}

func readers() []reader {
	all := []reader{{"curl", curl(nil)}, {"curl, compressed", curl([]string{"--compressed"})}}
	for _, format := range []string{"TSV", "JSON", "Native", "Parquet"} {
		for _, e := range encodings {
			all = append(all, reader{"net/http, " + format + ", " + e.name, netHTTP(format, e)})
		}
	}
	for name, method := range map[string]clickhouse.CompressionMethod{
		"none": clickhouse.CompressionNone, "lz4": clickhouse.CompressionLZ4,
		"zstd": clickhouse.CompressionZSTD, "gzip": clickhouse.CompressionGZIP,
	} {
		all = append(all, reader{"clickhouse-go, " + name, clickhouseGo(clickhouse.HTTP, method)})
	}
	for _, compression := range []string{"none", "lz4", "zstd", "gzip"} {
		all = append(all, reader{"clickhouse-connect, " + compression, connect(compression)})
	}
	return all
}

// netHTTP only checks that the body ends well if the format has no decoder here.
func netHTTP(format string, e encoding) func(context.Context, *server, string, int) (sum, error) {
	return func(_ context.Context, s *server, at string, n int) (sum, error) {
		body, done, err := s.fetch(at, rows(n)+" FORMAT "+format, e, nil)
		if err != nil {
			return sum{}, err
		}
		defer done()
		if decode := decoders[format]; decode != nil {
			got, err := decode(body)
			if _, rest := io.Copy(io.Discard, body); err == nil && !errors.Is(rest, io.EOF) {
				err = rest
			}
			return got, err
		}
		var all bytes.Buffer
		_, err = all.ReadFrom(body)
		if err != nil {
			return sum{}, err
		}
		return whole(format, all.Bytes(), n)
	}
}

// whole checks that an answer in a format without a decoder has its end.
func whole(format string, got []byte, n int) (sum, error) {
	if format == "Parquet" && bytes.HasSuffix(got, []byte("PAR1")) ||
		format == "Native" && bytes.Contains(got[max(0, len(got)-8*n-64):], fmt.Appendf(nil, "row %d", n-1)) {
		return expected(n), nil
	}
	return sum{}, nil
}

func curl(flags []string) func(context.Context, *server, string, int) (sum, error) {
	return func(ctx context.Context, s *server, at string, n int) (sum, error) {
		// The password goes through standard input, so that no list of processes shows it.
		request := s.request(ctx, at, map[string][]string{"enable_http_compression": {"1"}}, nil)
		args := append([]string{"-sS", "--fail", "-K", "-", "--data-binary", rows(n) + " FORMAT TSV"}, flags...)
		cmd := exec.CommandContext(ctx, "curl", args...)
		cmd.Stdin = bytes.NewBufferString(fmt.Sprintf("url = %q\nuser = %q\n", request.URL.String(), s.user+":"+s.password))
		var out, stderr bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &stderr
		if err := cmd.Run(); err != nil {
			return sum{}, fmt.Errorf("curl: %w: %s", err, stderr.String())
		}
		return readTSV(&out)
	}
}

func dial(s *server, at string, protocol clickhouse.Protocol, method clickhouse.CompressionMethod) (driver.Conn, error) {
	return clickhouse.Open(&clickhouse.Options{
		Protocol: protocol, Addr: []string{at},
		Auth:        clickhouse.Auth{Username: s.user, Password: s.password, Database: s.database},
		Compression: &clickhouse.Compression{Method: method, Level: 1},
	})
}

func clickhouseGo(protocol clickhouse.Protocol, method clickhouse.CompressionMethod) func(context.Context, *server, string, int) (sum, error) {
	return func(ctx context.Context, s *server, at string, n int) (got sum, err error) {
		conn, err := dial(s, at, protocol, method)
		if err != nil {
			return got, err
		}
		defer func() { _ = conn.Close() }()
		result, err := conn.Query(ctx, rows(n))
		if err != nil {
			return got, err
		}
		defer func() { _ = result.Close() }()
		for result.Next() {
			var id, h uint64
			var name string
			if err := result.Scan(&id, &name, &h); err != nil {
				return got, err
			}
			got.add(id, name, h)
		}
		return got, result.Err()
	}
}

// connect runs clickhouse-connect in a separate process, which prints the sum as JSON.
func connect(compression string) func(context.Context, *server, string, int) (sum, error) {
	return func(ctx context.Context, s *server, at string, n int) (got sum, err error) {
		out, err := runConnect(ctx, s, at, "read", compression, rows(n))
		if err != nil {
			return got, err
		}
		return got, json.Unmarshal(out, &got)
	}
}

func runConnect(ctx context.Context, s *server, at string, args ...string) ([]byte, error) {
	interpreter, err := python()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, interpreter, append([]string{"connect.py"}, args...)...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1", "CONFORMANCE_ADDRESS="+at, "CONFORMANCE_USER="+s.user,
		"CONFORMANCE_PASSWORD="+s.password, "CONFORMANCE_DATABASE="+s.database)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("clickhouse-connect: %w: %.2000s", err, stderr.String())
	}
	return out, nil
}

func TestEveryClientReadsAllRows(t *testing.T) {
	s := start(t)
	all := readers()
	if at := os.Getenv("CLICKHOUSE_NATIVE"); at != "" {
		native := clickhouseGo(clickhouse.Native, clickhouse.CompressionLZ4)
		all = append(all, reader{"clickhouse-go, native protocol", func(ctx context.Context, s *server, _ string, n int) (sum, error) {
			return native(ctx, s, at, n)
		}})
	}
	n := 50_000
	if full {
		n = 5_000_000
	}
	want := expected(n)
	for _, r := range all {
		if got, err := r.read(t.Context(), s, s.address, n); err != nil || got != want {
			t.Errorf("%s: %+v, want %+v: %v", r.name, got, want, err)
		}
	}
}

// TestConnectWritesAndMeetsErrors lets clickhouse-connect insert, bind, keep a session and meet errors.
func TestConnectWritesAndMeetsErrors(t *testing.T) {
	s := start(t)
	for _, compression := range []string{"none", "lz4", "zstd", "gzip"} {
		out, err := runConnect(t.Context(), s, s.address, "walk", compression)
		if err != nil || string(out) != "ok\n" {
			t.Errorf("%s: %s %v", compression, out, err)
		}
	}
}
