// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"tailrace.dev/probes/internal/metricspage"
)

func TestBadInputIsOneLine(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = taken.Close() }()
	for _, c := range []struct {
		name string
		args []string
		want string
	}{
		{"unknown flag", []string{"--port", "1"}, "--help"},
		{"argument", []string{"now"}, `"now"`},
		{"busy port", []string{"--listen", taken.Addr().String()}, "Choose another --listen"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			if code := run(c.args, &stdout, &stderr); code != metricspage.ExitBadInput {
				t.Errorf("exit %d; want %d", code, metricspage.ExitBadInput)
			}
			if output := stderr.String(); strings.Count(output, "\n") != 1 || !strings.Contains(output, c.want) {
				t.Errorf("stderr is %q; want one line with %q", output, c.want)
			}
		})
	}
}

// The real program, as a user who may not load anything: it must go on serving and report why.
func TestWithoutRightsItServesTheReason(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root, to give it up")
	}
	dir, err := os.MkdirTemp("/tmp", "ioprobe")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "tailrace-ioprobe")
	if out, err := exec.Command("go", "build", "-buildvcs=false", "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := free.Addr().String()
	_ = free.Close()
	probe := exec.Command(program, "--listen", address)
	probe.Dir = dir
	probe.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if err := probe.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = probe.Process.Signal(syscall.SIGTERM)
		if err := probe.Wait(); err != nil {
			t.Errorf("after SIGTERM: %v", err)
		}
	}()
	page := fetch(t, "http://"+address+"/metrics")
	if !strings.Contains(page, `ioprobe_up{reason="sync_calls: `) || !strings.Contains(page, "needs root") {
		t.Errorf("no reason on the page:\n%s", page)
	}
}

func fetch(t *testing.T, url string) string {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for {
		response, err := http.Get(url)
		if err == nil {
			defer func() { _ = response.Body.Close() }()
			body, err := io.ReadAll(response.Body)
			if err != nil {
				t.Fatal(err)
			}
			return string(body)
		}
		if time.Now().After(deadline) {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
