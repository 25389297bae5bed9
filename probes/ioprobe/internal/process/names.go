// SPDX-License-Identifier: Apache-2.0

// Package process turns process ids into the names that metrics carry.
package process

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Kernel is the name of process 0: requests that the kernel issues from an interrupt or when idle.
const Kernel = "kernel"

// Names remembers the name of every process seen alive.
type Names struct {
	proc  string
	known map[uint32]string
}

// NewNames reads from a proc file system, usually /proc.
func NewNames(proc string) *Names {
	return &Names{proc: proc, known: map[uint32]string{}}
}

// Name returns the process's name and whether it still runs. comm, the name of one of its threads,
// is the fallback for a process that ended before it was looked up.
func (n *Names) Name(pid uint32, comm string) (name string, alive bool) {
	if pid == 0 {
		return Kernel, true
	}
	text, err := os.ReadFile(filepath.Join(n.proc, strconv.FormatUint(uint64(pid), 10), "comm"))
	if err == nil {
		name = family(strings.TrimSpace(string(text)))
		n.known[pid] = name
		return name, true
	}
	if known, found := n.known[pid]; found {
		return known, false
	}
	return family(comm), false
}

// Forget drops a process that has ended, so that its id can be used again.
func (n *Names) Forget(pid uint32) { delete(n.known, pid) }

// family gives kernel threads that differ by number only (kworker/u8:2-flush, jbd2/vda1-8, xfsaild/sdb)
// one name, or every worker would be a separate metric.
func family(name string) string {
	if head, _, found := strings.Cut(name, "/"); found && head != "" {
		return head
	}
	return strings.TrimRight(name, "0123456789")
}
