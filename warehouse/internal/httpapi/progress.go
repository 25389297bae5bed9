// SPDX-License-Identifier: Apache-2.0

package httpapi

import (
	"strconv"
	"strings"
	"time"
)

// mostProgress bounds the progress headers of one answer.
const mostProgress = 100

const progressQuery = `SELECT read_rows, read_bytes, written_rows, written_bytes,
	toUInt64(total_rows_approx) AS total_rows_to_read, toUInt64(elapsed * 1e9) AS elapsed_ns,
	toUInt64(greatest(memory_usage, 0)) AS memory_usage
FROM system.processes WHERE Settings['log_comment'] = {mark:String}
SETTINGS output_format_json_quote_64bit_integers = 1`

// reportProgress collects the query's progress while it runs. The function it returns ends that and gives
// what was collected; it may be called more than once. Without the client's wish it costs nothing.
func (q *query) reportProgress() func() []string {
	if on, _ := flag("", q.req.settings["send_progress_in_http_headers"]); !on {
		return func() []string { return nil }
	}
	interval := 100 * time.Millisecond
	if ms, err := strconv.Atoi(q.req.settings["http_headers_progress_interval_ms"]); err == nil && ms > 0 {
		interval = time.Duration(ms) * time.Millisecond
	}
	stop, lines := make(chan struct{}), make(chan []string, 1)
	go func() {
		var seen []string
		ticker := time.NewTicker(interval)
		defer ticker.Stop()
		for {
			select {
			case <-stop:
				lines <- seen
				return
			case <-ticker.C:
			}
			if line := q.server.progressOf(q.req.settings["log_comment"]); line != "" && len(seen) < mostProgress {
				seen = append(seen, line)
			}
		}
	}()
	stopped := false
	return func() []string {
		if stopped {
			return nil
		}
		stopped = true
		close(stop)
		return <-lines
	}
}

// progressOf asks the engine how far a query is; the answer is empty when it is not running.
func (s *Server) progressOf(mark string) string {
	conn, err := s.engine.Connect()
	if err != nil {
		return ""
	}
	defer conn.Close()
	result, err := conn.Query(progressQuery, "JSONEachRow", map[string]string{"mark": escapeParam(mark)})
	if err != nil {
		return ""
	}
	defer result.Close()
	return strings.TrimSpace(string(result.Bytes()))
}

// escapeParam writes a text as the value of a {name:String} parameter, which is in TSV's escaping.
func escapeParam(text string) string {
	return strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`).Replace(text)
}
