// SPDX-License-Identifier: Apache-2.0

// Package metricspage is what the probes have in common: a program that serves a page of Prometheus metrics.
package metricspage

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os/signal"
	"syscall"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Exit codes: stopped by a signal, failed while running, could not start.
const (
	ExitOK = iota
	ExitFailed
	ExitBadInput
)

// Program is one probe.
type Program struct {
	Name   string
	Usage  string // printed before the flags
	Listen string // default of --listen
	// AddFlags adds flags beside --listen.
	AddFlags func(*flag.FlagSet)
	// Start returns the metrics' source, and a function that is called after the last scrape.
	Start func(*slog.Logger) (source prometheus.Collector, stop func(), err error)
}

// Run serves until SIGINT or SIGTERM and returns the exit code.
func (p Program) Run(args []string, stdout, stderr io.Writer) int {
	listen, err := p.parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return ExitOK
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "%s: %v. See --help\n", p.Name, err)
		return ExitBadInput
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", listen)
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "%s: cannot listen on %s: %v. Choose another --listen\n", p.Name, listen, err)
		return ExitBadInput
	}
	if err := p.serve(listener, slog.New(slog.NewTextHandler(stderr, nil))); err != nil {
		_, _ = fmt.Fprintf(stderr, "%s: %v\n", p.Name, err)
		return ExitFailed
	}
	return ExitOK
}

func (p Program) parse(args []string, stdout io.Writer) (listen string, err error) {
	flags := flag.NewFlagSet(p.Name, flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&listen, "listen", p.Listen, "address and port of the metrics page")
	p.AddFlags(flags)
	err = flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, _ = io.WriteString(stdout, p.Usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
	}
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return listen, err
}

func (p Program) serve(listener net.Listener, log *slog.Logger) error {
	ctx, stopSignals := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stopSignals()
	source, stop, err := p.Start(log)
	if err != nil {
		return err
	}
	defer stop()
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(source)
	pages := http.NewServeMux()
	pages.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	server := &http.Server{Handler: pages, ReadHeaderTimeout: 5 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	log.Info("serving", "address", listener.Addr().String())
	select {
	case err := <-failed:
		return fmt.Errorf("serving metrics: %w", err)
	case <-ctx.Done():
		closing, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		return server.Shutdown(closing)
	}
}
