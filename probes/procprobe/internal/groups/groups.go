// SPDX-License-Identifier: Apache-2.0

// Package groups adds up what the processes of a group used: CPU, IO, memory.
package groups

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// ticksPerSecond is USER_HZ, which Linux fixes at 100 for everything it shows to programs.
const ticksPerSecond = 100

// recheckAfter is how long a process counts as outside all groups before its command line is read again: a shell may
// become the broker.
const recheckAfter = 5 * time.Second

// Rule puts a process whose command line matches into a group.
type Rule struct {
	Group   string
	Pattern *regexp.Regexp
}

// ParseRule reads GROUP=PATTERN; the pattern is matched against the arguments joined with blanks.
func ParseRule(text string) (Rule, error) {
	group, pattern, found := strings.Cut(text, "=")
	if !found || group == "" || pattern == "" {
		return Rule{}, fmt.Errorf("%q is not GROUP=PATTERN", text)
	}
	compiled, err := regexp.Compile(pattern)
	if err != nil {
		return Rule{}, fmt.Errorf("the pattern of group %s: %w", group, err)
	}
	return Rule{group, compiled}, nil
}

// Use is what one process, or a group, used. Times are seconds, sizes bytes; the first six only grow.
type Use struct {
	User, System, BlockIODelay   float64
	Read, Written, MajorFaults   float64
	Processes, Threads, Resident float64
	Stopped                      float64 // processes that a signal or a debugger holds
}

// Groups follows the processes of its rules. It is not safe for concurrent use.
type Groups struct {
	fs    procfs.FS
	rules []Rule
	mark  string
	now   func() time.Time
	known map[int]*member
	ended map[string]Use
}

type member struct {
	group   string // empty: none
	looked  time.Time
	started uint64
	last    Use
}

// New reads from a proc file system. With a mark, NAME=value, only processes with that in their environment count.
func New(fs procfs.FS, rules []Rule, mark string, now func() time.Time) *Groups {
	g := &Groups{fs: fs, rules: rules, mark: mark, now: now, known: map[int]*member{}, ended: map[string]Use{}}
	for _, rule := range rules {
		g.ended[rule.Group] = Use{}
	}
	return g
}

// Read the use of every group, by name, empty groups included. What a process used before it ended stays counted.
func (g *Groups) Read() (map[string]Use, error) {
	processes, err := g.fs.AllProcs()
	if err != nil {
		return nil, fmt.Errorf("list processes: %w", err)
	}
	alive := make(map[int]bool, len(processes))
	for _, process := range processes {
		alive[process.PID] = true
		g.follow(process)
	}
	sums := make(map[string]Use, len(g.ended))
	for pid, m := range g.known {
		if !alive[pid] {
			g.forget(pid, m)
		}
	}
	maps.Copy(sums, g.ended)
	for _, m := range g.known {
		if m.group != "" {
			sums[m.group] = sums[m.group].plus(m.last)
		}
	}
	return sums, nil
}

func (g *Groups) follow(process procfs.Proc) {
	m := g.known[process.PID]
	if m == nil || m.group == "" && g.now().Sub(m.looked) >= recheckAfter {
		m = &member{group: g.groupOf(process), looked: g.now()}
		g.known[process.PID] = m
	}
	if m.group == "" {
		return
	}
	use, started, err := read(process)
	switch {
	case err != nil:
		// It has just ended, or belongs to another user: its last reading stays.
		return
	case m.started != 0 && m.started != started:
		g.forget(process.PID, m) // another process with the same number
	default:
		m.started, m.last = started, use
	}
}

func (g *Groups) forget(pid int, m *member) {
	delete(g.known, pid)
	if m.group != "" {
		g.ended[m.group] = g.ended[m.group].plus(m.last.onlyGrowing())
	}
}

func (g *Groups) groupOf(process procfs.Proc) string {
	arguments, err := process.CmdLine()
	if err != nil || len(arguments) == 0 {
		return ""
	}
	line := strings.Join(arguments, " ")
	for _, rule := range g.rules {
		if rule.Pattern.MatchString(line) && g.marked(process) {
			return rule.Group
		}
	}
	return ""
}

func (g *Groups) marked(process procfs.Proc) bool {
	if g.mark == "" {
		return true
	}
	variables, err := process.Environ()
	return err == nil && slices.Contains(variables, g.mark)
}

func read(process procfs.Proc) (use Use, started uint64, err error) {
	stat, err := process.Stat()
	if err != nil {
		return Use{}, 0, err
	}
	io, err := process.IO()
	if err != nil {
		return Use{}, 0, err
	}
	return Use{
		User: float64(stat.UTime) / ticksPerSecond, System: float64(stat.STime) / ticksPerSecond,
		BlockIODelay: float64(stat.DelayAcctBlkIOTicks) / ticksPerSecond,
		Read:         float64(io.ReadBytes), Written: float64(io.WriteBytes), MajorFaults: float64(stat.MajFlt),
		Processes: 1, Threads: float64(stat.NumThreads), Resident: float64(stat.ResidentMemory()),
		Stopped: stopped(stat.State),
	}, stat.Starttime, nil
}

func stopped(state string) float64 {
	if state == "T" || state == "t" {
		return 1
	}
	return 0
}

func (u Use) onlyGrowing() Use {
	u.Processes, u.Threads, u.Resident, u.Stopped = 0, 0, 0, 0
	return u
}

func (u Use) plus(other Use) Use {
	return Use{
		User: u.User + other.User, System: u.System + other.System, BlockIODelay: u.BlockIODelay + other.BlockIODelay,
		Read: u.Read + other.Read, Written: u.Written + other.Written, MajorFaults: u.MajorFaults + other.MajorFaults,
		Processes: u.Processes + other.Processes, Threads: u.Threads + other.Threads, Resident: u.Resident + other.Resident,
		Stopped: u.Stopped + other.Stopped,
	}
}
