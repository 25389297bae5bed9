// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/component/componenttest"
	"go.opentelemetry.io/collector/consumer/consumererror"
	"go.opentelemetry.io/collector/pdata/plog"
)

// goldenLogs is one request with the golden block of a stream, as a load generator sends it.
func goldenLogs(t *testing.T, stream string, seq int64) plog.Logs {
	t.Helper()
	body := goldenBlocks(t)[stream]
	logs := plog.NewLogs()
	record := logs.ResourceLogs().AppendEmpty().ScopeLogs().AppendEmpty().LogRecords().AppendEmpty()
	fillRecord(record, stream, seq, body)
	record.Attributes().PutInt(attrRows, int64(goldenRows(t)[stream])) //nolint:gosec // a few hundred
	record.Attributes().PutStr(attrColumns, listed(goldenColumns(t, body)))
	return logs
}

// strictConfig is the exporter's default, with dead letters.
func strictConfig(t *testing.T, endpoints ...string) *Config {
	cfg := configFor(endpoints...)
	cfg.RequireColumns = true
	cfg.DeadLetter.Directory = filepath.Join(t.TempDir(), "dead-letter")
	return cfg
}

func rowsIn(t *testing.T, w *warehouse, table string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(w.query(t, "SELECT count() FROM "+table), 10, 64)
	require.NoError(t, err)
	return n
}

func TestGoldenBlocksAreStoredOnceBehindADeadEndpoint(t *testing.T) {
	w := startWarehouse(t)
	dead := httptest.NewServer(http.NotFoundHandler())
	dead.Close()
	tel := componenttest.NewTelemetry()
	exp := startExporter(t, strictConfig(t, dead.URL, w.url()), tel.NewTelemetrySettings())
	for range 2 {
		for stream := range inserts {
			require.NoError(t, exp.ConsumeLogs(context.Background(), goldenLogs(t, stream, 0)), stream)
		}
	}
	for stream, rows := range goldenRows(t) {
		assert.Equal(t, rows, rowsIn(t, w, stream), stream)
		assert.Equal(t, int64(1), counted(t, tel, "retries")["stream="+stream], stream)
	}
	failovers := counted(t, tel, "failovers")
	require.Len(t, failovers, 1)
	for _, n := range failovers {
		assert.Equal(t, int64(1), n)
	}
}

func TestOtherColumnsAreRefusedAndStoredByTheCommandOfTheReadme(t *testing.T) {
	w := startWarehouse(t)
	cfg := strictConfig(t, w.url())
	w.query(t, "ALTER TABLE publishes ADD COLUMN late Bool")
	exp := startExporter(t, cfg, componenttest.NewNopTelemetrySettings())
	err := exp.ConsumeLogs(context.Background(), goldenLogs(t, "publishes", 7))
	require.ErrorContains(t, err, "columns do not fit table publishes: missing: late Bool; the block has (run_id LowCardinality(String), ")
	require.ErrorContains(t, err, "payload_bytes UInt32), the table has (run_id LowCardinality(String), ")
	require.ErrorContains(t, err, "payload_bytes UInt32, late Bool)")
	assert.True(t, consumererror.IsPermanent(err))
	assert.Zero(t, rowsIn(t, w, "publishes"))
	require.NoError(t, exp.ConsumeLogs(context.Background(), goldenLogs(t, "deliveries", 7)), "the other tables have not changed")

	w.query(t, "ALTER TABLE publishes DROP COLUMN late")
	for range 2 {
		repost(t, filepath.Join(cfg.DeadLetter.Directory, "run-1.2.publishes.7"))
		assert.Equal(t, goldenRows(t)["publishes"], rowsIn(t, w, "publishes"))
	}
}

// repost runs the README's command for a dead letter.
func repost(t *testing.T, path string) {
	t.Helper()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	command := regexp.MustCompile("(?s)```sh\nletter=[^\n]*\n(.*?)```").FindSubmatch(readme)
	require.NotNil(t, command, "the README has no command that begins with letter=")
	shell := exec.Command("sh", "-c", string(command[1]))
	shell.Env = append(warehouseUser(), "letter="+path)
	out, err := shell.CombinedOutput()
	require.NoError(t, err, "%s\n%s", command[1], out)
}

func TestUnstorableBlocksAreRefusedAndKept(t *testing.T) {
	w := startWarehouse(t)
	cfg := strictConfig(t, w.url())
	exp := startExporter(t, cfg, componenttest.NewNopTelemetrySettings())
	f := func(seq int64, change func([]byte) []byte, wantReason reason, wantCode int) {
		t.Helper()
		logs := goldenLogs(t, "ledger", seq)
		body := firstRecord(logs).Body().Bytes()
		body.FromRaw(change(body.AsRaw()))
		assert.True(t, consumererror.IsPermanent(exp.ConsumeLogs(context.Background(), logs)))
		l := readDeadLetter(t, filepath.Join(cfg.DeadLetter.Directory, "run-1.2.ledger."+strconv.FormatInt(seq, 10)+".json"))
		assert.Equal(t, wantCode, l.ClickHouseCode)
		assert.Equal(t, wantReason, l.Reason)
		assert.Zero(t, rowsIn(t, w, "ledger"))
	}
	f(1, func(b []byte) []byte { return b[:len(b)-1] }, reasonRefused, 271)
	f(2, func([]byte) []byte { return []byte("not zstd") }, reasonRefused, 271)
	f(3, func([]byte) []byte { return goldenBlocks(t)["run_events"] }, reasonMalformed, 0)
}

func TestRotatedWarehousePassword(t *testing.T) {
	w := startWarehouse(t)
	cfg := strictConfig(t, w.url())
	cfg.Password, cfg.PasswordFile = "", filepath.Join(t.TempDir(), "password")
	writePassword(t, cfg.PasswordFile, "before the rotation")
	exp := startExporter(t, cfg, componenttest.NewNopTelemetrySettings())
	err := exp.ConsumeLogs(context.Background(), goldenLogs(t, "ledger", 0))
	require.ErrorContains(t, err, "516")
	assert.False(t, consumererror.IsPermanent(err))
	writePassword(t, cfg.PasswordFile, "hunter2\n")
	require.NoError(t, exp.ConsumeLogs(context.Background(), goldenLogs(t, "ledger", 0)))
	assert.Equal(t, goldenRows(t)["ledger"], rowsIn(t, w, "ledger"))
}
