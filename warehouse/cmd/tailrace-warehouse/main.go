// SPDX-License-Identifier: Apache-2.0

// Command tailrace-warehouse serves a ClickHouse data directory over ClickHouse's HTTP interface.
package main

import (
	"context"
	"crypto/tls"
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

	"tailrace.dev/warehouse/internal/chdb"
	"tailrace.dev/warehouse/internal/datadir"
	"tailrace.dev/warehouse/internal/deduplog"
	"tailrace.dev/warehouse/internal/httpapi"
	"tailrace.dev/warehouse/internal/powerloss"
)

// Exit codes: 0 stopped by a signal, 1 failed while running, 2 could not start.
const (
	exitOK = iota
	exitFailed
	exitBadInput
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	o, err := parse(args, stdout)
	if errors.Is(err, flag.ErrHelp) {
		return exitOK
	}
	if err == nil {
		err = serve(o, slog.New(slog.NewTextHandler(stderr, &slog.HandlerOptions{Level: o.logLevel})))
	}
	if err == nil {
		return exitOK
	}
	_, _ = fmt.Fprintf(stderr, "tailrace-warehouse: %v\n", err)
	if _, running := errors.AsType[*runtimeError](err); running {
		return exitFailed
	}
	return exitBadInput
}

// runtimeError is a failure after the start.
type runtimeError struct{ error }

func (e *runtimeError) Unwrap() error { return e.error }

// serve runs until a signal. It closes what it opened in reverse order: the engine last, then only the lock.
func serve(o *options, log *slog.Logger) error {
	dir, err := datadir.Open(o.data)
	if err != nil {
		return fmt.Errorf("%w. Stop that process or choose another --data", err)
	}
	defer func() { _ = dir.Close() }()
	listener, err := (&net.ListenConfig{}).Listen(context.Background(), "tcp", o.listen)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w. Choose another --listen or stop the program that uses the port", o.listen, err)
	}
	defer func() { _ = listener.Close() }()
	if o.tlsCert != "" {
		certificate, err := newCertificate(o.tlsCert, o.tlsKey, log)
		if err != nil {
			return fmt.Errorf("--tls-cert, --tls-key: %w", err)
		}
		listener = tls.NewListener(listener, certificate.config())
	}
	config, err := dir.WriteConfig(o.maxMemory, o.fsync)
	if err != nil {
		return err
	}
	answers, err := dir.Answers()
	if err != nil {
		return err
	}
	started := time.Now()
	engine, err := startEngine(o, dir, config, log)
	if err != nil {
		return err
	}
	defer func() {
		engine.Close()
		log.Info("stopped")
	}()
	var flusher *powerloss.Flusher
	if o.fsync {
		flusher = powerloss.New(dir.Path)
	}
	hostname, _ := os.Hostname()
	handler, err := httpapi.New(httpapi.Config{
		Engine: engine, Users: o.users, Log: log, Hostname: hostname, AnswerDir: answers, MaxAnswer: o.maxAnswer, Flusher: flusher,
	})
	if err != nil {
		return err
	}
	defer handler.Close()
	// The engine and the query log may have created files.
	if err := flusher.Changed(); err != nil {
		return err
	}
	log.Info("warehouse ready", "listen", listener.Addr().String(), "engine", engine.Version(), "data", dir.Path,
		"max_memory_bytes", o.maxMemory, "users", len(o.users), "took", time.Since(started).Round(time.Millisecond))
	return untilSignal(&http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 10 * time.Second,
		IdleTimeout:       5 * time.Minute,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelError),
	}, listener, handler, log)
}

// startEngine repairs the traces of a crash, and refuses a damaged directory.
func startEngine(o *options, dir *datadir.Dir, config string, log *slog.Logger) (*chdb.Engine, error) {
	damage, err := dir.Missing()
	if err != nil {
		return nil, err
	}
	if len(damage) > 0 && !o.acceptDamage {
		return nil, damage
	}
	repaired, err := deduplog.Repair(dir.Path)
	if err != nil {
		return nil, err
	}
	if repaired > 0 {
		log.Info("inserts that a crash cut off can be sent again", "records", repaired)
	}
	if err := powerloss.Synchronous(dir.Path, o.fsync); err != nil {
		return nil, err
	}
	engine, err := chdb.Open(chdb.Options{
		Library: o.lib, DataDir: dir.Path, Config: config, Settings: datadir.Settings(o.maxMemory),
	})
	if err != nil {
		return nil, fmt.Errorf("%w. Replace the directory by a copy, or remove the file that the message names", err)
	}
	broken, err := dir.Broken()
	damage = append(damage, broken...)
	if err == nil && len(damage) > 0 && !o.acceptDamage {
		err = damage
	}
	if err != nil {
		engine.Close()
		return nil, err
	}
	for _, fault := range damage {
		log.Warn("serving a damaged data directory", "fault", fault)
	}
	return engine, nil
}

// untilSignal serves until SIGINT or SIGTERM, then ends SELECTs at once and waits for INSERTs.
func untilSignal(server *http.Server, listener net.Listener, handler *httpapi.Server, log *slog.Logger) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return &runtimeError{fmt.Errorf("serve: %w", err)}
	case <-ctx.Done():
	}
	stop() // from here on a signal ends the process at once
	log.Info("stopping: waiting for running inserts")
	handler.Interrupt()
	patience, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := server.Shutdown(patience); err != nil {
		_ = server.Close()
		return &runtimeError{fmt.Errorf("requests did not end within a minute: %w", err)}
	}
	return nil
}
