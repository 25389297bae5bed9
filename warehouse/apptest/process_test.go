// SPDX-License-Identifier: Apache-2.0

package apptest

import (
	"io"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"tailrace.dev/warehouse/warehousetest"
)

func TestBadInputIsOneLineAndExitCode2(t *testing.T) {
	w := warehousetest.Start(t)
	credentials := []string{"WAREHOUSE_USER=u", "WAREHOUSE_PASSWORD=p"}
	f := func(env []string, want string, flags ...string) {
		t.Helper()
		cmd := warehousetest.Program(flags...)
		cmd.Env = append([]string{"LANG=C"}, env...) // an empty list would be the test's own environment
		expectRefusal(t, cmd, want)
	}
	lib := warehousetest.Library()
	f(credentials, "--data is missing", "--lib", lib)
	f(credentials, "--lib is missing", "--data", t.TempDir())
	f(credentials, "`make setup`", "--data", t.TempDir(), "--lib", "/nope.so")
	f(credentials, "/dev/null", "--data", t.TempDir(), "--lib", "/dev/null")
	f(nil, "WAREHOUSE_USER and WAREHOUSE_PASSWORD", "--data", t.TempDir(), "--lib", lib)
	f(credentials[:1], "WAREHOUSE_USER and WAREHOUSE_PASSWORD", "--data", t.TempDir(), "--lib", lib)
	f(credentials, "--max-memory", "--data", t.TempDir(), "--lib", lib, "--max-memory", "lots")
	f(credentials, "too little", "--data", t.TempDir(), "--lib", lib, "--max-memory", "1MiB")
	f(credentials, "--log-level", "--data", t.TempDir(), "--lib", lib, "--log-level", "loud")
	f(credentials, "-nope", "--nope")
	f(credentials, "unexpected argument", "--data", t.TempDir(), "--lib", lib, "extra")
	f(credentials, "cannot listen on "+strings.TrimPrefix(w.URL, "http://"),
		"--data", t.TempDir(), "--lib", lib, "--listen", strings.TrimPrefix(w.URL, "http://"))
	expectRefusal(t, w.Command(), "in use by another process")
	if got := w.Query(t, "SELECT 1"); got != "1" {
		t.Errorf("the first process was disturbed: %s", got)
	}
}

func expectRefusal(t *testing.T, cmd *exec.Cmd, want string) {
	t.Helper()
	var stderr strings.Builder
	cmd.Stderr = &stderr
	must(t, cmd.Start())
	defer time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }).Stop()
	_ = cmd.Wait()
	text := stderr.String()
	if cmd.ProcessState.ExitCode() != 2 || strings.Count(text, "\n") != 1 || !strings.Contains(text, want) {
		t.Errorf("%v: exit code %d, want 2 and one line with %q:\n%s", cmd.Args, cmd.ProcessState.ExitCode(), want, text)
	}
}

func TestHelp(t *testing.T) {
	out, err := warehousetest.Program("--help").Output()
	if err != nil || !strings.Contains(string(out), "Examples:") || !strings.Contains(string(out), "power loss") {
		t.Errorf("--help: %v\n%s", err, out)
	}
}

func TestStopWaitsForInsertsAndEndsSelects(t *testing.T) {
	w := warehousetest.Start(t)
	w.Query(t, "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")

	selected := make(chan warehousetest.Response, 1)
	go func() {
		response, _ := w.Send(warehousetest.Request{Body: []byte(endlessSilent)})
		selected <- response
	}()
	waitFor(t, w, "1", endlessSilent)

	body, writer := io.Pipe()
	request, _ := http.NewRequest(http.MethodPost, w.URL+"/?query=INSERT+INTO+t+FORMAT+TSV", body)
	request.SetBasicAuth(w.User, w.Password)
	inserted := make(chan int, 1)
	go func() {
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			inserted <- 0
			return
		}
		_ = response.Body.Close()
		inserted <- response.StatusCode
	}()
	if _, err := io.WriteString(writer, strings.Repeat("1\n", 1<<20)); err != nil {
		t.Fatal(err)
	}
	w.Interrupt(t)
	if response := <-selected; response.Code() != "394" {
		t.Errorf("the SELECT ended with %d %s", response.Status, response.Body)
	}
	if _, err := io.WriteString(writer, "2\n"); err != nil {
		t.Fatal(err)
	}
	must(t, writer.Close())
	if status := <-inserted; status != http.StatusOK {
		t.Errorf("the INSERT under way ended with status %d", status)
	}
	w.WaitStopped(t)
	w.Restart(t)
	if got := w.Query(t, "SELECT count(), sum(a) FROM t"); got != "1048577\t1048578" {
		t.Errorf("stored %s", got)
	}
}

func TestRestartWhileClientsWait(t *testing.T) {
	w := warehousetest.Start(t)
	w.Query(t, "CREATE TABLE t (a UInt64) ENGINE = MergeTree ORDER BY a")
	w.Query(t, "INSERT INTO t SELECT number FROM numbers(1000)")
	w.Kill(t)
	started := time.Now()
	w.Restart(t)
	if got := w.Query(t, "SELECT count() FROM t"); got != "1000" {
		t.Errorf("%s rows after a crash %v ago", got, time.Since(started))
	}
}
