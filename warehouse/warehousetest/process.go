// SPDX-License-Identifier: Apache-2.0

package warehousetest

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a process may take to start or to stop before the test fails.
const patience = time.Minute

// Warehouse is a running program with its own user.
type Warehouse struct {
	URL, User, Password string
	Dir                 string // data directory
	address             string
	cmd                 *exec.Cmd
	log                 *logBuffer
}

// Start runs the program on a new data directory and a free port until the test ends.
func Start(t testing.TB, flags ...string) *Warehouse {
	t.Helper()
	w := &Warehouse{User: "tester", Password: rand.Text(), Dir: t.TempDir(), address: FreeAddress(t)}
	w.URL = "http://" + w.address
	w.Restart(t, flags...)
	t.Cleanup(func() {
		if w.cmd.ProcessState == nil {
			w.Stop(t)
		}
		if t.Failed() {
			t.Logf("log of the warehouse:\n%s", w.log)
		}
	})
	return w
}

// Restart runs the program again on the same data directory and port.
func (w *Warehouse) Restart(t testing.TB, flags ...string) {
	t.Helper()
	w.log = &logBuffer{}
	w.cmd = w.Command(flags...)
	w.cmd.Stderr = w.log
	if err := w.cmd.Start(); err != nil {
		t.Fatalf("start the warehouse: %v", err)
	}
	for deadline := time.Now().Add(patience); ; time.Sleep(20 * time.Millisecond) {
		err := w.ping()
		if err == nil {
			return
		}
		if time.Now().After(deadline) || syscall.Kill(w.cmd.Process.Pid, 0) != nil {
			t.Fatalf("the warehouse does not answer: %v\n%s", err, w.log)
		}
	}
}

// ping returns nil when the program answers.
func (w *Warehouse) ping() error {
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, w.URL+"/ping", http.NoBody)
	if err != nil {
		return err
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return err
	}
	return response.Body.Close()
}

// Command is the program with this warehouse's directory, address and user.
func (w *Warehouse) Command(flags ...string) *exec.Cmd {
	cmd := Program(append([]string{"--data", w.Dir, "--lib", library, "--listen", w.address}, flags...)...)
	cmd.Env = append(os.Environ(), "WAREHOUSE_USER="+w.User, "WAREHOUSE_PASSWORD="+w.Password)
	return cmd
}

// Program is the program with the test's flags.
func Program(flags ...string) *exec.Cmd {
	return exec.CommandContext(context.Background(), program, flags...) //nolint:gosec // the test chooses
}

// Library is the path of the engine.
func Library() string { return library }

// Kill ends the process as a crash would, without any clean-up.
func (w *Warehouse) Kill(t testing.TB) {
	t.Helper()
	if err := w.cmd.Process.Kill(); err != nil {
		t.Fatalf("kill the warehouse: %v", err)
	}
	_ = w.cmd.Wait()
}

// Stop asks the process to end and fails the test unless it ends with exit code 0.
func (w *Warehouse) Stop(t testing.TB) {
	t.Helper()
	w.Interrupt(t)
	w.WaitStopped(t)
}

// Interrupt sends SIGTERM.
func (w *Warehouse) Interrupt(t testing.TB) {
	t.Helper()
	if err := w.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatalf("stop the warehouse: %v", err)
	}
}

// WaitStopped waits for the process to end and fails the test unless its exit code is 0.
func (w *Warehouse) WaitStopped(t testing.TB) {
	t.Helper()
	timer := time.AfterFunc(patience, func() { _ = w.cmd.Process.Kill() })
	defer timer.Stop()
	if err := w.cmd.Wait(); err != nil {
		t.Errorf("the warehouse did not stop with exit code 0: %v\n%s", err, w.log)
	}
}

// PeakMemory is the process's largest resident memory so far, bytes.
func (w *Warehouse) PeakMemory(t testing.TB) int64 {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid))
	if err != nil {
		t.Fatalf("memory of the warehouse: %v", err)
	}
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	var kib int64
	if _, err := fmt.Sscan(after, &kib); err != nil {
		t.Fatalf("memory of the warehouse: %v", err)
	}
	return kib << 10
}

// Log is what the process has written to standard error so far.
func (w *Warehouse) Log() string { return w.log.String() }

// logBuffer can be read by the test while the process writes it.
type logBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *logBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *logBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}
