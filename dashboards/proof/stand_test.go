// SPDX-License-Identifier: Apache-2.0

package proof

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/grafana/grafana-plugin-sdk-go/backend"
	"github.com/grafana/grafana-plugin-sdk-go/backend/log"

	"tailrace.dev/schemas"
	"tailrace.dev/warehouse/warehousetest"
)

const (
	recorded = "recorded" // testdata/run: a real run, thinned
	slow     = "slow"     // the same, every message 400 ms later, and its audit failed
	step     = time.Second
	reader   = "grafana" // may read and nothing else
)

// span holds the recorded run from its first phase to its last.
var span = backend.TimeRange{
	From: time.Date(2026, 11, 21, 14, 50, 10, 0, time.UTC),
	To:   time.Date(2026, 11, 21, 14, 51, 45, 0, time.UTC),
}

func TestMain(m *testing.M) {
	// A query that fails is an error of the test; the plugin SDK's log adds nothing.
	backend.Logger = log.NewNullLogger()
	os.Exit(warehousetest.Main(m))
}

// stand starts a warehouse with the whole schema and the recorded run, which has the mark of a fault.
func stand(t *testing.T) (*warehousetest.Warehouse, *Plugin) {
	t.Helper()
	users := filepath.Join(t.TempDir(), "users.yaml")
	if err := os.WriteFile(users, []byte("users:\n  "+reader+": {password: "+reader+", read_only: true}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	w := warehousetest.Start(t, "--users", users)
	migrator, err := schemas.Open(t.Context(), schemas.Warehouse{URL: w.URL, User: w.User, Password: w.Password, Database: "default"})
	if err != nil {
		t.Fatal(err)
	}
	if err := migrator.Up(t.Context(), func(string, time.Duration) {}); err != nil {
		t.Fatal(err)
	}
	if err := migrator.Close(); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/run/*.parquet")
	if err != nil || len(files) == 0 {
		t.Fatalf("the recorded run: %v, %d files", err, len(files))
	}
	for _, file := range files {
		table := strings.TrimSuffix(filepath.Base(file), ".parquet")
		body, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		statement := url.Values{"query": {"INSERT INTO " + table + " FORMAT Parquet"}}
		if got := w.MustSend(t, warehousetest.Request{Params: statement, Body: body}); got.Status != http.StatusOK {
			t.Fatalf("store %s: %s", file, got.Body)
		}
	}
	w.Query(t, "INSERT INTO run_events SELECT '"+recorded+"', 0, toDateTime64('2026-11-21 14:51:00', 6, 'UTC'), 'mark', 'fault',"+
		" '{\"text\": \"drive limited\", \"end\": 1795272670}'")
	staged(t, w)
	return w, open(t, w)
}

// staged gives each message a produce request, read 40 µs after its send, and computes the rollup of stages.
func staged(t *testing.T, w *warehousetest.Warehouse) {
	t.Helper()
	w.Query(t, `INSERT INTO broker_requests (run_id, worker, broker, api, topic, partition, offset, records, read_time, queue_us,
			local_us, log_us)
		SELECT run_id, 32769, 1, 'produce', topic, partition, offset, 1, send_time + toIntervalMicrosecond(40), 10, 100, 70
		FROM v_publishes WHERE run_id = '`+recorded+`'`)
	columns := "side, by, time, stage, place, band, bucket, messages, us"
	made := "toDateTime64('2026-11-21 14:52:00', 6, 'UTC')"
	w.Query(t, fmt.Sprintf(`INSERT INTO stages_1s (run_id, made_time, %s) SELECT '%s', %s, %s
		FROM v_stage_histogram(run_id = '%s', from_s = 0, to_s = 4294967295)`, columns, recorded, made, columns, recorded))
	w.Query(t, fmt.Sprintf("INSERT INTO stages_made VALUES ('%s', %s, 1, 1, 1)", recorded, made))
}

func open(t *testing.T, w *warehousetest.Warehouse) *Plugin {
	t.Helper()
	address, err := url.Parse(w.URL)
	if err != nil {
		t.Fatal(err)
	}
	settings, err := Provisioned("../provisioning/datasources/tailrace.yaml", "tailrace-clickhouse", map[string]string{
		"TAILRACE_WAREHOUSE_HOST": address.Hostname(), "WAREHOUSE_PORT": address.Port(),
		"WAREHOUSE_READER": reader, "WAREHOUSE_READER_PASSWORD": reader,
	})
	if err != nil {
		t.Fatal(err)
	}
	plugin, err := Open(t.Context(), settings)
	if err != nil {
		t.Fatal(err)
	}
	return plugin
}

// breach adds the run whose alerts must fire, one point of a campaign.
func breach(t *testing.T, w *warehousetest.Warehouse) {
	t.Helper()
	later := "toIntervalMillisecond(400)"
	failed := `{"verdict": "fail", "failures": [{"check": "lost", "where": "worker 0", "expected": 0, "actual": 3, "text": "3 rows are lost"}], "notes": ["one thing"]}`
	for table, changed := range map[string]string{
		"publishes":         "t.ack_time + " + later + " AS ack_time",
		"deliveries":        "t.receive_time + " + later + " AS receive_time",
		"run_events":        "t.detail AS detail",
		"partition_leaders": "t.leader AS leader",
		"runs": "t.started_time + toIntervalSecond(1) AS started_time, '" + failed + "' AS audit," +
			` JSONMergePatch(t.manifest, '{"plan": {"varied": {"batch.size": "64 KB"}}}') AS manifest`,
	} {
		w.Query(t, fmt.Sprintf("INSERT INTO %s SELECT * REPLACE ('%s' AS run_id, %s) FROM %s AS t WHERE t.run_id = '%s'",
			table, slow, changed, table, recorded))
	}
	due := "toDateTime64('2026-11-21 14:51:00', 6, 'UTC')"
	w.Query(t, "INSERT INTO publish_failures SELECT '"+slow+"', 0, 0, 't', 0, "+due+", 5, "+due+" + 2, 100, 'TimeoutException', number, 0 FROM numbers(3)")
	w.Query(t, "INSERT INTO ledger SELECT '"+slow+"', 0, 'publishes', 'unsent', 'interrupted', 7, "+due+", "+due)
	// Received a second before its intended send.
	w.Query(t, "INSERT INTO deliveries SELECT * REPLACE (t.intended_time - 1 AS receive_time) FROM deliveries AS t WHERE t.run_id = '"+slow+"' LIMIT 1")
}

// incomplete stores a run that has not ended, without what is stored at its end, and one that stored no message.
func incomplete(t *testing.T, w *warehousetest.Warehouse) {
	t.Helper()
	for _, table := range []string{"publishes", "deliveries", "partition_leaders"} {
		w.Query(t, fmt.Sprintf("INSERT INTO %s SELECT * REPLACE ('going' AS run_id) FROM %s AS t WHERE t.run_id = '%s'", table, table, recorded))
	}
	w.Query(t, "INSERT INTO run_events SELECT * REPLACE ('going' AS run_id) FROM run_events AS t WHERE t.run_id = '"+recorded+
		"' AND t.kind = 'phase' AND t.name IN ('warmup', 'measure')")
	for run, state := range map[string]string{"going": "running", "empty": "finished"} {
		w.Query(t, "INSERT INTO runs SELECT * REPLACE ('"+run+"' AS run_id, '"+state+"' AS state, '' AS audit) FROM runs AS t WHERE t.run_id = '"+recorded+"'")
	}
}

// metrics starts a VictoriaMetrics with what the recorded run kept of it, and with testdata/live.jsonl: a few
// series that a run does not keep.
func metrics(t *testing.T, w *warehousetest.Warehouse) string {
	t.Helper()
	address := warehousetest.FreeAddress(t)
	cmd := exec.CommandContext(t.Context(), program(t, "victoria-metrics"), "-storageDataPath="+t.TempDir(),
		"-httpListenAddr="+address, "-retentionPeriod=100y", "-search.latencyOffset=0s")
	var output bytes.Buffer
	cmd.Stderr = &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	})
	base := "http://" + address
	for deadline := time.Now().Add(time.Minute); call(base+"/health", nil) != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("VictoriaMetrics does not answer:\n%s", output.String())
		}
	}
	live, err := os.ReadFile("testdata/live.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for path, body := range map[string][]byte{"/api/v1/import": append(kept(t, w), live...), "/internal/force_flush": nil} {
		if err := call(base+path, body); err != nil {
			t.Fatal(err)
		}
	}
	if err := call(base+"/internal/force_flush", nil); err != nil {
		t.Fatal(err)
	}
	return base
}

// kept are the metrics of the recorded run, in VictoriaMetrics' import format.
func kept(t *testing.T, w *warehousetest.Warehouse) []byte {
	t.Helper()
	rows := w.Query(t, "SELECT metric, job, host, device, labels, groupArray(toUnixTimestamp64Milli(time)) AS at, groupArray(value) AS values"+
		" FROM v_host_metrics WHERE run_id = '"+recorded+"' GROUP BY metric, job, host, device, labels"+
		" ORDER BY metric, job, host, device, toString(labels) SETTINGS output_format_json_quote_64bit_integers = 0 FORMAT JSONEachRow")
	var lines bytes.Buffer
	for row := range strings.Lines(rows) {
		var series struct {
			Metric, Job, Host, Device string
			Labels                    map[string]string
			At                        []int64
			Values                    []float64
		}
		if err := json.Unmarshal([]byte(row), &series); err != nil {
			t.Fatal(err)
		}
		labels := map[string]string{"__name__": series.Metric, "job": series.Job, "host": series.Host, "device": series.Device}
		maps.Copy(labels, series.Labels)
		line, err := json.Marshal(map[string]any{"metric": labels, "timestamps": series.At, "values": series.Values})
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(line, '\n'))
	}
	return lines.Bytes()
}

func call(address string, body []byte) error {
	method := http.MethodGet
	if body != nil {
		method = http.MethodPost
	}
	request, err := http.NewRequest(method, address, bytes.NewReader(body))
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	_ = response.Body.Close()
	if response.StatusCode >= http.StatusBadRequest {
		return fmt.Errorf("%s answers %d", address, response.StatusCode)
	}
	return nil
}

// program looks upward for what set-up has built.
func program(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; ; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, ".tailrace", "bin", name)
		if _, err := os.Stat(path); err == nil {
			return path
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("%s is missing: run `make setup`", name)
		}
	}
}
