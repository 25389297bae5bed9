// SPDX-License-Identifier: Apache-2.0

package blockexporter

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const built = "../../../.tailrace"

// warehouse is the real ClickHouse engine of the one-machine stack, with all tables.
type warehouse struct {
	address, data string
	process       *exec.Cmd
	log           bytes.Buffer
}

// program is the path of a file that set-up builds or downloads.
func program(t *testing.T, parts ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{built}, parts...)...))
	require.NoError(t, err)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v. Run `make setup`", err)
	}
	return path
}

func startWarehouse(t *testing.T) *warehouse {
	t.Helper()
	w := &warehouse{address: freeAddress(t), data: t.TempDir()}
	w.start(t)
	t.Cleanup(func() { w.kill(t) })
	migrate := exec.Command(program(t, "bin", "tailrace-migrate"), "--url", w.url(), "up")
	migrate.Env = warehouseUser()
	out, err := migrate.CombinedOutput()
	require.NoError(t, err, "%s", out)
	migrations, err := filepath.Glob("../../../schemas/migrations/*.sql")
	require.NoError(t, err)
	newest, _, _ := strings.Cut(strings.TrimLeft(filepath.Base(migrations[len(migrations)-1]), "0"), "_")
	require.Contains(t, string(out), fmt.Sprintf("schema version %s\n", newest),
		"tailrace-migrate is older than the migrations. Run `make setup`")
	return w
}

// warehouseUser is the user of configFor, as the programs take it.
func warehouseUser() []string {
	return append(os.Environ(), "WAREHOUSE_USER=tailrace", "WAREHOUSE_PASSWORD=hunter2")
}

func (w *warehouse) url() string { return "http://" + w.address }

func (w *warehouse) start(t *testing.T) {
	t.Helper()
	w.log.Reset()
	w.process = exec.Command(program(t, "bin", "tailrace-warehouse"), "--listen", w.address, "--data", w.data,
		"--lib", program(t, "lib", "libchdb.so"))
	w.process.Env = warehouseUser()
	w.process.Stderr = &w.log
	require.NoError(t, w.process.Start())
	require.Eventually(t, func() bool {
		answer, err := http.Get(w.url() + "/ping")
		return err == nil && answer.Body.Close() == nil && answer.StatusCode == http.StatusOK
	}, time.Minute, 20*time.Millisecond, "the warehouse does not answer")
}

// kill is kill -9.
func (w *warehouse) kill(t *testing.T) {
	t.Helper()
	require.NoError(t, w.process.Process.Kill())
	_ = w.process.Wait() // its status is "killed"
	if t.Failed() {
		t.Log(w.log.String())
	}
}

// query returns the warehouse's answer without the last line end.
func (w *warehouse) query(t *testing.T, sql string) string {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, w.url(), strings.NewReader(sql))
	require.NoError(t, err)
	request.SetBasicAuth("tailrace", "hunter2")
	answer, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer answer.Body.Close() //nolint:errcheck // read to its end below
	body, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, answer.StatusCode, "%s: %s", sql, body)
	return strings.TrimRight(string(body), "\n")
}
