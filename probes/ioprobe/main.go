// SPDX-License-Identifier: Apache-2.0

// Command tailrace-ioprobe serves histograms of sync and I/O request durations, taken in the kernel by eBPF, as
// Prometheus metrics. Where the kernel refuses it serves ioprobe_up 0 with the reason.
package main

import (
	"flag"
	"io"
	"log/slog"
	"os"

	"github.com/prometheus/client_golang/prometheus"

	"tailrace.dev/probes/internal/metricspage"
	"tailrace.dev/probes/ioprobe/bpf"
	"tailrace.dev/probes/ioprobe/internal/device"
	"tailrace.dev/probes/ioprobe/internal/exporter"
	"tailrace.dev/probes/ioprobe/internal/kernel"
	"tailrace.dev/probes/ioprobe/internal/process"
	"tailrace.dev/probes/ioprobe/internal/totals"
)

const usage = `tailrace-ioprobe serves sync and I/O latency histograms by device and process.

  tailrace-ioprobe                              on 127.0.0.1:9435/metrics
  tailrace-ioprobe --listen 127.0.0.1:19435

Needs root, or CAP_BPF, CAP_PERFMON and a readable tracefs; without them it serves ioprobe_up 0.

`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	return metricspage.Program{
		Name: "tailrace-ioprobe", Usage: usage, Listen: "127.0.0.1:9435",
		AddFlags: func(*flag.FlagSet) {}, Start: start,
	}.Run(args, stdout, stderr)
}

func start(log *slog.Logger) (prometheus.Collector, func(), error) {
	probe := kernel.Attach(bpf.Object)
	for _, s := range probe.States() {
		if s.Reason != "" {
			log.Warn("not attached", "feature", s.Feature.Name, "required", s.Feature.Required, "reason", s.Reason)
		}
	}
	log.Info("attached", "up", probe.Missing() == "")
	sums := totals.New(probe, device.NewNames("/sys"), process.NewNames("/proc"))
	return exporter.New(probe.States(), probe.Missing(), sums, log), func() { _ = probe.Close() }, nil
}
