// SPDX-License-Identifier: Apache-2.0

// Command tailrace-procprobe serves CPU, IO and memory of named groups of processes, and the pressure of
// control groups, as Prometheus metrics. The number of series is fixed by its arguments.
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
	"github.com/prometheus/procfs"

	"tailrace.dev/probes/procprobe/internal/groups"
	"tailrace.dev/probes/procprobe/internal/pressure"
)

// Exit codes: 0 stopped in order, 1 failed while running, 2 could not start.
const (
	exitOK = iota
	exitFailed
	exitBadInput
)

const usage = `tailrace-procprobe serves CPU, IO and memory of groups of processes, and control groups' pressure.

  tailrace-procprobe --process 'broker=kafka\.Kafka' --pressure broker=FOLDER --listen 127.0.0.1:9436

`

type options struct {
	listen, mark string
	rules        []groups.Rule
	pressures    []pressure.Source
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "tailrace-procprobe: %v. See --help\n", err)
		return exitBadInput
	}
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", o.listen)
	if err != nil {
		_, _ = fmt.Fprintf(stderr, "tailrace-procprobe: cannot listen on %s: %v. Choose another --listen\n", o.listen, err)
		return exitBadInput
	}
	if err := serve(listener, o, slog.New(slog.NewTextHandler(stderr, nil))); err != nil {
		_, _ = fmt.Fprintf(stderr, "tailrace-procprobe: %v\n", err)
		return exitFailed
	}
	return exitOK
}

func parse(args []string, stdout io.Writer) (options, error) {
	var o options
	flags := flag.NewFlagSet("tailrace-procprobe", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.listen, "listen", "127.0.0.1:9436", "address and port of the metrics page")
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
	err := flags.Parse(args)
	if errors.Is(err, flag.ErrHelp) {
		_, _ = io.WriteString(stdout, usage)
		flags.SetOutput(stdout)
		flags.PrintDefaults()
	}
	if err == nil && flags.NArg() > 0 {
		err = fmt.Errorf("unexpected argument %q", flags.Arg(0))
	}
	return o, err
}

func serve(listener net.Listener, o options, log *slog.Logger) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return fmt.Errorf("reading /proc: %w", err)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(&exporter{
		groups: groups.New(fs, o.rules, o.mark, time.Now), pressures: o.pressures, log: log, logged: map[string]bool{},
	})
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
