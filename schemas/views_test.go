// SPDX-License-Identifier: Apache-2.0

package schemas_test

import (
	"strings"
	"testing"
)

// TestDriveView makes rates of counters that a scraper read at 0.9 s, 2.0 s, 3.0 s and, after a reboot, 4.0 s.
func TestDriveView(t *testing.T) {
	w := migrated(t)
	w.Query(t, `INSERT INTO host_metrics (run_id, metric, job, host, device, labels, time, value)
		SELECT 'r', metric, 'node', 'h', 'vda', map(), toDateTime64(at, 3, 'UTC'), value FROM values(
			'metric String, at Float64, value Float64',
			('node_disk_writes_completed_total', 0.9, 100), ('node_disk_write_time_seconds_total', 0.9, 1),
			('node_disk_writes_completed_total', 2.0, 122), ('node_disk_write_time_seconds_total', 2.0, 1.11),
			('node_disk_writes_completed_total', 3.0, 122), ('node_disk_write_time_seconds_total', 3.0, 1.11),
			('node_disk_writes_completed_total', 4.0, 5),   ('node_disk_write_time_seconds_total', 4.0, 0.1),
			('node_cpu_seconds_total', 4.0, 1))`)
	got := w.Query(t, `SELECT host, device, time, round(seconds, 3), round(writes_per_s, 3), round(write_latency_ms, 3)
		FROM v_drive_1s ORDER BY time`)
	want := strings.Join([]string{
		"h\tvda\t1970-01-01 00:00:02\t1.1\t20\t5",
		"h\tvda\t1970-01-01 00:00:03\t1\t0\t\\N",
		"h\tvda\t1970-01-01 00:00:04\t1\t\\N\t\\N",
	}, "\n")
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestPhasesView(t *testing.T) {
	w := migrated(t)
	w.Query(t, `INSERT INTO run_events (run_id, worker, time, kind, name)
		SELECT run_id, worker, toDateTime64(at, 6, 'UTC'), kind, name FROM values(
			'run_id String, worker UInt16, at Float64, kind String, name String',
			('r', 0, 10, 'phase', 'warmup'), ('r', 1, 10.5, 'phase', 'warmup'),
			('r', 0, 20, 'phase', 'measure'), ('r', 1, 19.5, 'phase', 'measure'),
			('r', 0, 25, 'alert', 'measure'), ('r', 0, 30, 'phase', 'end'), ('s', 0, 7, 'phase', 'warmup'))`)
	got := w.Query(t, `SELECT run_id, phase, toUnixTimestamp64Milli(start_time), toUnixTimestamp64Milli(end_time) FROM v_phases ORDER BY run_id, start_time`)
	want := "r\twarmup\t10000\t19500\nr\tmeasure\t19500\t30000\nr\tend\t30000\t30000\ns\twarmup\t7000\t7000"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestRunViewsTakeTheNewestManifest(t *testing.T) {
	w := migrated(t)
	w.Query(t, `INSERT INTO runs (run_id, state, manifest, updated_time) VALUES ('r', 'running', '{}', 1)`)
	w.Query(t, `INSERT INTO runs (run_id, state, manifest, updated_time) VALUES ('r', 'finished',
		'{"brokers":[{"id":1,"host":"a","log_dirs":["/x"],"log_device":"vda"},{"id":2,"host":"b","log_device":"nvme0n1"}]}', 2)`)
	if got := w.Query(t, "SELECT run_id, state FROM v_runs"); got != "r\tfinished" {
		t.Errorf("v_runs: %s", got)
	}
	if got := w.Query(t, "SELECT run_id, broker, host, device FROM v_broker_drives ORDER BY broker"); got != "r\t1\ta\tvda\nr\t2\tb\tnvme0n1" {
		t.Errorf("v_broker_drives: %s", got)
	}
}
