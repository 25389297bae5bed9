// SPDX-License-Identifier: Apache-2.0

package groups

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// fakeProc is a /proc of processes that the test makes up.
type fakeProc struct {
	t     *testing.T
	root  string
	state string
}

func (f fakeProc) start(pid int, line, environ string, ticks, started, written int) {
	f.t.Helper()
	folder := filepath.Join(f.root, strconv.Itoa(pid))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		f.t.Fatal(err)
	}
	// Fields as in proc(5): 14 utime, 15 stime, 20 threads, 22 start, 24 resident pages, 42 I/O delay.
	fields := make([]string, 52)
	for i := range fields {
		fields[i] = "0"
	}
	fields[0], fields[1], fields[2] = strconv.Itoa(pid), "(java (x) y)", f.state
	fields[13], fields[14], fields[19] = strconv.Itoa(ticks), strconv.Itoa(ticks/2), "7"
	fields[21], fields[23], fields[41] = strconv.Itoa(started), "3", "50"
	for name, text := range map[string]string{
		"stat": strings.Join(fields, " ") + "\n",
		"io": fmt.Sprintf("rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 10\nwrite_bytes: %d\n"+
			"cancelled_write_bytes: 0\n", written),
		"cmdline": strings.ReplaceAll(line, " ", "\x00") + "\x00",
		"environ": strings.ReplaceAll(environ, " ", "\x00") + "\x00",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			f.t.Fatal(err)
		}
	}
}

func (f fakeProc) end(pid int) {
	f.t.Helper()
	if err := os.RemoveAll(filepath.Join(f.root, strconv.Itoa(pid))); err != nil {
		f.t.Fatal(err)
	}
}

type bench struct {
	fakeProc
	groups *Groups
	clock  time.Time
}

func newBench(t *testing.T, mark string) *bench {
	t.Helper()
	root := t.TempDir()
	fs, err := procfs.NewFS(root)
	if err != nil {
		t.Fatal(err)
	}
	var rules []Rule
	for _, text := range []string{`broker= kafka[.]Kafka `, `collector=/tailrace-collector `} {
		rule, err := ParseRule(text)
		if err != nil {
			t.Fatal(err)
		}
		rules = append(rules, rule)
	}
	b := &bench{fakeProc: fakeProc{t, root, "S"}, clock: time.Unix(1000, 0)}
	b.groups = New(fs, rules, mark, func() time.Time { return b.clock })
	return b
}

func (b *bench) read() map[string]Use {
	b.t.Helper()
	uses, err := b.groups.Read()
	if err != nil {
		b.t.Fatal(err)
	}
	return uses
}

const broker = "java -Xmx1g kafka.Kafka server.properties"

func TestUseOfGroupsWithAndWithoutProcesses(t *testing.T) {
	b := newBench(t, "")
	b.start(10, broker, "", 200, 5, 4096)
	b.start(11, broker, "", 100, 5, 1000)
	b.start(12, "/usr/bin/kafka.Kafka-no", "", 900, 5, 9)
	uses := b.read()
	want := Use{
		User: 3, System: 1.5, BlockIODelay: 1, Read: 20, Written: 5096,
		Processes: 2, Threads: 14, Resident: float64(6 * os.Getpagesize()),
	}
	if uses["broker"] != want {
		t.Errorf("broker: %+v, want %+v", uses["broker"], want)
	}
	if use, found := uses["collector"]; !found || use != (Use{}) {
		t.Errorf("collector: %+v, %v: a group without processes must be there with zeros", use, found)
	}
}

func TestWhatEndedStaysCounted(t *testing.T) {
	b := newBench(t, "")
	b.start(10, broker, "", 200, 5, 4096)
	b.read()
	b.end(10)
	if use := b.read()["broker"]; use.User != 2 || use.Written != 4096 || use.Processes != 0 || use.Resident != 0 {
		t.Errorf("after its end: %+v", use)
	}
	b.start(20, broker, "", 100, 9, 4)
	if use := b.read()["broker"]; use.User != 3 || use.Written != 4100 || use.Processes != 1 {
		t.Errorf("after a restart: %+v", use)
	}
}

func TestANumberUsedAnewIsAnotherProcess(t *testing.T) {
	b := newBench(t, "")
	b.start(10, broker, "", 200, 5, 4096)
	b.read()
	b.start(10, broker, "", 100, 9, 4)
	b.read()
	if use := b.read()["broker"]; use.User != 3 || use.Written != 4100 || use.Processes != 1 {
		t.Errorf("%+v", use)
	}
}

func TestAShellMayBecomeTheBroker(t *testing.T) {
	b := newBench(t, "")
	b.start(10, "/bin/sh start.sh", "", 1, 5, 1)
	if use := b.read()["broker"]; use.Processes != 0 {
		t.Errorf("a shell is no broker: %+v", use)
	}
	b.start(10, broker, "", 200, 5, 4096)
	b.clock = b.clock.Add(recheckAfter)
	if use := b.read()["broker"]; use.Processes != 1 || use.User != 2 {
		t.Errorf("after exec: %+v", use)
	}
}

func TestOnlyMarkedProcessesCount(t *testing.T) {
	b := newBench(t, "TAILRACE_STACK=/a")
	b.start(10, broker, "PATH=/bin TAILRACE_STACK=/a", 200, 5, 1)
	b.start(11, broker, "TAILRACE_STACK=/ab", 400, 5, 1)
	if use := b.read()["broker"]; use.Processes != 1 || use.User != 2 {
		t.Errorf("%+v", use)
	}
}

func TestAStoppedProcessIsSeen(t *testing.T) {
	b := newBench(t, "")
	b.start(10, broker, "", 200, 5, 1)
	if use := b.read()["broker"]; use.Stopped != 0 {
		t.Errorf("before: %+v", use)
	}
	b.state = "T"
	b.start(10, broker, "", 200, 5, 1)
	if use := b.read()["broker"]; use.Stopped != 1 {
		t.Errorf("while stopped: %+v", use)
	}
}

func TestParseRuleNamesTheFault(t *testing.T) {
	for text, want := range map[string]string{
		"broker": "GROUP=PATTERN", "=x": "GROUP=PATTERN", "broker=": "GROUP=PATTERN", "broker=(": "group broker",
	} {
		if _, err := ParseRule(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
