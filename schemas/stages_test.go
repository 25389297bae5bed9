// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"strings"
	"testing"
)

// TestMessageStages has a message in the middle of a request, the last of a request, one behind it whose own request
// is missing, and one of a topic without requests. Requests of another run and failed ones match nothing.
func TestMessageStages(t *testing.T) {
	w := migrated(t)
	w.Query(t, `INSERT INTO broker_requests (run_id, broker, api, topic, partition, offset, records, error, read_time,
			queue_us, local_us, remote_us, response_queue_us, send_us, log_us, lock_us, roll_us, flush_us)
		SELECT run_id, 3, 'produce', 't', 0, offset, 10, error, fromUnixTimestamp64Micro(1000000000 + 5000),
			10, 200, 40, 5, 6, 150, 20, 30, 7
		FROM values('run_id String, offset Int64, error String',
			('r', 100, ''), ('s', 110, ''), ('r', 110, 'NOT_LEADER_OR_FOLLOWER'))`)
	w.Query(t, `INSERT INTO publishes (run_id, topic, partition, offset, intended_time, publish_delay_us, ack_time)
		SELECT 'r', topic, 0, offset, fromUnixTimestamp64Micro(1000000000), 1000, fromUnixTimestamp64Micro(1000000000 + 7000)
		FROM values('topic String, offset Int64', ('t', 103), ('t', 109), ('t', 110), ('u', 0))`)
	// Acknowledged 4 µs before the broker counted its response as sent, and 100 µs before, which clocks explain.
	w.Query(t, `INSERT INTO publishes (run_id, topic, partition, offset, intended_time, publish_delay_us, ack_time)
		SELECT 'r', 't', 0, offset, fromUnixTimestamp64Micro(1000000000), 1000, fromUnixTimestamp64Micro(1000000000 + ack)
		FROM values('offset Int64, ack Int64', (104, 5257), (105, 5161))`)
	got := w.Query(t, `SELECT topic, offset, broker, schedule_us, client_us, request_queue_us, handler_us, append_us,
			lock_wait_us, segment_roll_us, log_flush_us, replication_us, response_wait_us, response_send_us, to_client_us,
			unmatched_us
		FROM v_message_stages(run_id = 'r') ORDER BY topic, offset`)
	matched := "\t3\t1000\t4000\t10\t50\t93\t20\t30\t7\t40\t5\t6\t1739\t0"
	early := "t\t104" + strings.TrimSuffix(matched, "\t6\t1739\t0")
	clocks := "t\t105" + strings.TrimSuffix(matched, "\t6\t1739\t0")
	unmatched := "\t-1\t1000" + strings.Repeat("\t0", 11) + "\t6000"
	want := strings.Join([]string{"t\t103" + matched, early + "\t2\t0\t0", clocks + "\t0\t-94\t0", "t\t109" + matched, "t\t110" + unmatched, "u\t0" + unmatched}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	sums := w.Query(t, `SELECT count(), countIf(publish_latency_us != schedule_us + client_us + request_queue_us + handler_us
			+ append_us + lock_wait_us + segment_roll_us + log_flush_us + replication_us + response_wait_us
			+ response_send_us + to_client_us + unmatched_us)
		FROM v_message_stages(run_id = 'r')`)
	if sums != "6\t0" {
		t.Errorf("messages, and those whose stages do not add up: %s", sums)
	}
}
