// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"strings"
	"testing"
)

const publishedStages = `schedule_us + client_us + throttle_us + request_queue_us + lock_wait_us + segment_roll_us
	+ append_us + log_flush_us + handler_us + replication_us`

// TestMessageStages has messages in the middle and at the end of a request, one whose own request is missing, one before
// the first request, and one of a topic without requests. Requests of another run and failed ones match nothing.
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
		FROM values('topic String, offset Int64', ('t', 50), ('t', 103), ('t', 109), ('t', 110), ('u', 0), ('t', -1))`)
	// Acknowledged 94 µs before a network thread took the response: clocks differ.
	w.Query(t, `INSERT INTO publishes (run_id, topic, partition, offset, intended_time, publish_delay_us, ack_time)
		SELECT 'r', 't', 0, offset, fromUnixTimestamp64Micro(1000000000), 1000, fromUnixTimestamp64Micro(1000000000 + ack)
		FROM values('offset Int64, ack Int64', (104, 5257), (105, 5161))`)
	got := w.Query(t, `SELECT topic, offset, not_measured, broker, schedule_us, client_us, throttle_us, request_queue_us,
			lock_wait_us, segment_roll_us, append_us, log_flush_us, handler_us, replication_us, response_queue_us,
			to_client_us, unattributed_us, not_measured_us
		FROM v_message_stages(run_id = 'r') ORDER BY topic, offset`)
	matched := "\t\t3\t1000\t4000\t0\t10\t20\t30\t93\t7\t50\t40\t5\t"
	unmatched := "\t-1\t1000" + strings.Repeat("\t0", 12) + "\t6000"
	want := strings.Join([]string{
		"t\t-1\tno offset" + unmatched, "t\t50\tbefore the agent" + unmatched,
		"t\t103" + matched + "1745\t0\t0", "t\t104" + matched + "2\t0\t0", "t\t105" + matched + "0\t-94\t0",
		"t\t109" + matched + "1745\t0\t0", "t\t110\trows lost" + unmatched, "u\t0\tagent off" + unmatched,
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	sums := w.Query(t, `SELECT count(), countIf(publish_latency_us != `+publishedStages+` + response_queue_us
		+ to_client_us + unattributed_us + not_measured_us) FROM v_message_stages(run_id = 'r')`)
	if sums != "8\t0" {
		t.Errorf("messages, and those whose stages do not add up: %s", sums)
	}
}

// TestThrottledStages has a connection that quotas mute from 2,000 to 3,000 and from 4,000 to 6,000 µs: a message sent
// at 2,500 whose request is read at 6,000 was muted for 2,500 µs.
func TestThrottledStages(t *testing.T) {
	w := migrated(t)
	w.Query(t, `INSERT INTO broker_requests (run_id, api, connection, correlation_id, topic, partition, offset, records,
			read_time, throttle_ms)
		SELECT 'r', 'produce', connection, offset, 't', 0, offset, 1, fromUnixTimestamp64Micro(1000000000 + read), mute
		FROM values('connection String, offset Int64, read Int64, mute UInt32',
			('c', 1, 2000, 1), ('c', 2, 4000, 2), ('d', 3, 5000, 9), ('c', 4, 6000, 0))`)
	w.Query(t, `INSERT INTO publishes (run_id, topic, partition, offset, intended_time, publish_delay_us, ack_time)
		VALUES ('r', 't', 0, 4, fromUnixTimestamp64Micro(1000000000), 2500, fromUnixTimestamp64Micro(1000000000 + 6500))`)
	got := w.Query(t, `SELECT schedule_us, client_us, throttle_us, to_client_us FROM v_message_stages(run_id = 'r')`)
	if got != "2500\t1000\t2500\t500" {
		t.Errorf("schedule, client, throttle, to_client: %s", got)
	}
}

// TestDeliveryStages has one message fetched by a request that waited in purgatory and was answered before the
// producer, one that waited to be fetched, and one without a fetch.
func TestDeliveryStages(t *testing.T) {
	w := migrated(t)
	w.Query(t, `INSERT INTO broker_requests (run_id, api, client_id, replica, topic, partition, offset, records, bytes,
			high_watermark, read_time, queue_us, local_us, remote_us, response_queue_us, send_us, log_us)
		SELECT 'r', api, 'r-consumer-1', -1, 't', 0, offset, records, 9, offset + 1,
			fromUnixTimestamp64Micro(1000000000 + read), 10, 100, remote, 20, 30, 40
		FROM values('api String, offset Int64, records UInt32, read Int64, remote UInt32',
			('produce', 1, 2, 2000, 0), ('fetch', 1, 0, 1000, 980), ('fetch', 2, 0, 5000, 0))`)
	w.Query(t, `INSERT INTO publishes (run_id, topic, partition, offset, intended_time, publish_delay_us, ack_time)
		SELECT 'r', 't', 0, number, fromUnixTimestamp64Micro(1000000000), 100, fromUnixTimestamp64Micro(1000000000 + 2200)
		FROM numbers(1, 2)`)
	w.Query(t, `INSERT INTO deliveries (run_id, consumer, topic, partition, offset, intended_time, receive_time)
		SELECT 'r', consumer, 't', 0, offset, fromUnixTimestamp64Micro(1000000000), fromUnixTimestamp64Micro(1000000000 + at)
		FROM values('consumer UInt32, offset Int64, at Int64', (1, 1, 2500), (1, 2, 5500), (2, 2, 5500), (1, 7, 5500))`)
	got := w.Query(t, `SELECT consumer, offset, not_measured, schedule_us, client_us, request_queue_us, append_us,
			handler_us, fetch_wait_us, fetch_queue_us, fetch_read_us, fetch_send_us, consumer_us, not_measured_us
		FROM v_delivery_stages(run_id = 'r') ORDER BY consumer, offset`)
	want := strings.Join([]string{
		"1\t1\t\t100\t1900\t10\t40\t40\t0\t0\t0\t50\t360\t0",
		"1\t2\t\t100\t1900\t10\t40\t60\t2890\t10\t100\t50\t340\t0",
		"1\t7\tnot published here" + strings.Repeat("\t0", 10) + "\t5500",
		"2\t2\tno fetch\t100" + strings.Repeat("\t0", 9) + "\t5400",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	sums := w.Query(t, `SELECT count(), countIf(end_to_end_us != `+publishedStages+` + fetch_wait_us + fetch_queue_us
		+ fetch_read_us + fetch_send_us + consumer_us + unattributed_us + not_measured_us) FROM v_delivery_stages(run_id = 'r')`)
	if sums != "4\t0" {
		t.Errorf("deliveries, and those whose stages do not add up: %s", sums)
	}
}

// TestClockShifts has a worker whose clock is 300 µs ahead of the broker's host: its messages' requests are 300 µs later
// on its clock.
func TestClockShifts(t *testing.T) {
	w := migrated(t)
	w.Query(t, `INSERT INTO runs (run_id, manifest) VALUES ('r', '{"brokers":[{"id":3,"host":"b"}]}')`)
	w.Query(t, `INSERT INTO run_events (run_id, worker, kind, name, detail)
		SELECT 'r', worker, 'clock', 'measured_start', detail FROM values('worker UInt16, detail String',
			(0, '{"host":"a","offset_us":350.2}'), (1, '{"host":"b","offset_us":50.2}'))`)
	if got := w.Query(t, `SELECT worker, broker, shift_us FROM v_clock_shifts(run_id = 'r')`); got != "0\t3\t300" {
		t.Errorf("shifts: %s", got)
	}
	w.Query(t, `INSERT INTO broker_requests (run_id, broker, api, topic, partition, offset, records, read_time)
		VALUES ('r', 3, 'produce', 't', 0, 0, 2, fromUnixTimestamp64Micro(1000000000 + 2000))`)
	w.Query(t, `INSERT INTO publishes (run_id, worker, topic, partition, offset, intended_time, ack_time)
		SELECT 'r', number, 't', 0, number, fromUnixTimestamp64Micro(1000000000), fromUnixTimestamp64Micro(1000000000 + 2500)
		FROM numbers(2)`)
	got := w.Query(t, `SELECT client_us, to_client_us FROM v_message_stages(run_id = 'r') ORDER BY worker`)
	if got != "2300\t200\n2000\t500" {
		t.Errorf("client and to_client of both workers: %s", got)
	}
}
