// SPDX-License-Identifier: Apache-2.0

// Command tailrace-procprobe serves CPU, IO and memory of named groups of processes, and the pressure of
// control groups, as Prometheus metrics. The number of series is fixed by its arguments.
package main

import (
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/procfs"

	"tailrace.dev/probes/internal/metricspage"
	"tailrace.dev/probes/procprobe/internal/groups"
	"tailrace.dev/probes/procprobe/internal/pressure"
)

const usage = `tailrace-procprobe serves CPU, IO and memory of groups of processes, and control groups' pressure.

  tailrace-procprobe --process 'broker=kafka\.Kafka' --pressure broker=FOLDER --listen 127.0.0.1:9436

`

type options struct {
	mark      string
	rules     []groups.Rule
	pressures []pressure.Source
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	var o options
	return metricspage.Program{
		Name: "tailrace-procprobe", Usage: usage, Listen: "127.0.0.1:9436", AddFlags: o.add, Start: o.start,
	}.Run(args, stdout, stderr)
}

func (o *options) add(flags *flag.FlagSet) {
	flags.StringVar(&o.mark, "environ", "", "NAME=value: only processes with this in their environment count")
	flags.Func("process", "GROUP=PATTERN of command lines; may be given again, the first match counts", func(text string) error {
		rule, err := groups.ParseRule(text)
		o.rules = append(o.rules, rule)
		return err
	})
	flags.Func("pressure", "GROUP=FOLDER with pressure/cpu, pressure/io, pressure/memory; may be given again", func(text string) error {
		source, err := pressure.ParseSource(text)
		o.pressures = append(o.pressures, source)
		return err
	})
}

func (o *options) start(log *slog.Logger) (prometheus.Collector, func(), error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return nil, nil, fmt.Errorf("reading /proc: %w", err)
	}
	return &exporter{
		groups: groups.New(fs, o.rules, o.mark, time.Now), pressures: o.pressures, log: log, logged: map[string]bool{},
	}, func() {}, nil
}
