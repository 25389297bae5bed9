// SPDX-License-Identifier: Apache-2.0

package process

import (
	"os"
	"path/filepath"
	"testing"
)

func TestNames(t *testing.T) {
	proc := t.TempDir()
	write := func(pid, comm string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Join(proc, pid), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(proc, pid, "comm"), []byte(comm+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("10", "java")
	write("11", "kworker/u8:2-flush-254:0")
	write("12", "xfsaild/sdb")
	names := NewNames(proc)
	for _, c := range []struct {
		name  string
		pid   uint32
		comm  string
		want  string
		alive bool
	}{
		{"the process, not its thread", 10, "kafka-request-h", "java", true},
		{"kernel workers are one", 11, "", "kworker", true},
		{"file system daemons are one", 12, "", "xfsaild", true},
		{"process 0", 0, "swapper/1", Kernel, true},
		{"gone before it was looked up", 99, "fio3", "fio", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if name, alive := names.Name(c.pid, c.comm); name != c.want || alive != c.alive {
				t.Errorf("Of(%d, %q) = %q, %v; want %q, %v", c.pid, c.comm, name, alive, c.want, c.alive)
			}
		})
	}
}

func TestAnEndedProcessKeepsItsNameUntilForgotten(t *testing.T) {
	proc := t.TempDir()
	if err := os.MkdirAll(filepath.Join(proc, "7"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(proc, "7", "comm"), []byte("redpanda\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	names := NewNames(proc)
	names.Name(7, "reactor-1")
	if err := os.RemoveAll(filepath.Join(proc, "7")); err != nil {
		t.Fatal(err)
	}
	if name, alive := names.Name(7, "reactor-1"); name != "redpanda" || alive {
		t.Errorf("after its end: %q, %v; want redpanda, false", name, alive)
	}
	names.Forget(7)
	if name, _ := names.Name(7, "other"); name != "other" {
		t.Errorf("after Forget: %q; want other", name)
	}
}
