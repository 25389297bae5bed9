// SPDX-License-Identifier: Apache-2.0

// Command tailrace-ioprobe serves histograms of sync and block request durations, taken in the kernel
// by eBPF, as Prometheus metrics. Where the kernel refuses it serves ioprobe_up 0 with the reason.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"tailrace.dev/ioprobe/bpf"
	"tailrace.dev/ioprobe/internal/device"
	"tailrace.dev/ioprobe/internal/exporter"
	"tailrace.dev/ioprobe/internal/kernel"
	"tailrace.dev/ioprobe/internal/process"
	"tailrace.dev/ioprobe/internal/totals"
)

// Exit codes: 0 stopped in order, 1 failed while running, 2 could not start.
const (
	exitOK = iota
	exitFailed
	exitBadInput
)

const usage = `tailrace-ioprobe serves sync and block IO latency histograms by device and process.

  tailrace-ioprobe                              on 127.0.0.1:9435/metrics
  tailrace-ioprobe --listen 127.0.0.1:19435

Needs root, or CAP_BPF, CAP_PERFMON and a readable tracefs; without them it serves ioprobe_up 0.

`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("tailrace-ioprobe", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	listen := flags.String("listen", "127.0.0.1:9435", "address and port of the metrics page")
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, _ = io.WriteString(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
		return exitOK
	}
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "tailrace-ioprobe: %v. See --help\n", err)
		return exitBadInput
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", *listen)
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "tailrace-ioprobe: cannot listen on %s: %v. Choose another --listen\n", *listen, err)
		return exitBadInput
	}
	log := slog.New(slog.NewTextHandler(stderr, nil))
	if err := serve(listener, log); err != nil {
		_, _ = fmt.Fprintf(stderr, "tailrace-ioprobe: %v\n", err)
		return exitFailed
	}
	return exitOK
}

func serve(listener net.Listener, log *slog.Logger) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	probe := kernel.Attach(bpf.Object)
	defer func() { _ = probe.Close() }()
	for _, s := range probe.States() {
		if s.Reason != "" {
			log.Warn("not attached", "feature", s.Feature.Name, "required", s.Feature.Required, "reason", s.Reason)
		}
	}
	sums := totals.New(probe, device.NewNames("/sys"), process.NewNames("/proc"))
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(exporter.New(probe.States(), probe.Missing(), sums, log))
	pages := http.NewServeMux()
	pages.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: pages, ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	log.Info("serving", "address", listener.Addr().String(), "up", probe.Missing() == "")
	select {
	case err := <-failed:
		return fmt.Errorf("serving metrics: %w", err)
	case <-ctx.Done():
		closing, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		return server.Shutdown(closing)
	}
}
