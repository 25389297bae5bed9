// SPDX-License-Identifier: Apache-2.0

// Command tailrace-migrate brings a warehouse to the schema that is embedded in it.
package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/ClickHouse/clickhouse-go/v2"

	"tailrace.dev/schemas"
)

//go:embed usage.txt
var usage string

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	code, err := run(ctx, os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintf(os.Stderr, "tailrace-migrate: %v\n", err)
	}
	os.Exit(code)
}

func run(ctx context.Context, args []string, out io.Writer) (exit int, err error) {
	w, command, err := parse(args, out)
	if errors.Is(err, flag.ErrHelp) {
		return 0, nil
	}
	if err != nil {
		return 2, err
	}
	if command == "render" {
		return render(w.Cluster, out)
	}
	m, err := schemas.Open(ctx, w)
	if err != nil {
		return 2, explain(w.URL, err)
	}
	defer func() { err = errors.Join(err, m.Close()) }()
	if command == "status" {
		return status(ctx, m, out)
	}
	err = m.Up(ctx, func(name string, took time.Duration) {
		_, _ = fmt.Fprintf(out, "applied %s (%d ms)\n", name, took.Milliseconds())
	})
	if err != nil {
		return 1, err
	}
	return printVersion(ctx, m, out)
}

func parse(args []string, out io.Writer) (schemas.Warehouse, string, error) {
	w := schemas.Warehouse{User: os.Getenv("WAREHOUSE_USER"), Password: os.Getenv("WAREHOUSE_PASSWORD")}
	flags := flag.NewFlagSet("tailrace-migrate", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&w.URL, "url", "http://127.0.0.1:8123", "")
	flags.StringVar(&w.Database, "database", "default", "")
	flags.StringVar(&w.Cluster, "cluster", "", "")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			_, _ = fmt.Fprint(out, usage)
			return w, "", err
		}
		return w, "", fmt.Errorf("%w. See --help", err)
	}
	command := "up"
	if flags.NArg() > 0 {
		command = flags.Arg(0)
	}
	switch {
	case flags.NArg() > 1:
		return w, "", fmt.Errorf("unexpected argument %q. See --help", flags.Arg(1))
	case command != "up" && command != "status" && command != "render":
		return w, "", fmt.Errorf("unknown command %q: use up, status or render", command)
	case command == "render":
	case w.User == "" || w.Password == "":
		return w, "", errors.New("WAREHOUSE_USER and WAREHOUSE_PASSWORD must be set")
	}
	return w, command, nil
}

// explain adds the remedy to an error.
func explain(url string, err error) error {
	switch {
	case errors.Is(err, schemas.ErrUnreachable):
		return fmt.Errorf("%s: %w. Start it, or name its address with --url", url, err)
	case errors.Is(err, schemas.ErrNewer):
		return fmt.Errorf("%w. Use a newer tailrace-migrate, or another database", err)
	case errors.Is(err, schemas.ErrTooOld):
		return fmt.Errorf("%w. Export its runs with the build that made it, or use an empty database", err)
	}
	if answer, ok := errors.AsType[*clickhouse.HTTPError](err); ok {
		err = answer.Err
	}
	return fmt.Errorf("%s: %w", url, err)
}

func render(cluster string, out io.Writer) (int, error) {
	migrations, err := schemas.Migrations(cluster)
	if err != nil {
		return 2, fmt.Errorf("--cluster: %w", err)
	}
	names, err := fs.Glob(migrations, "*.sql")
	if err != nil {
		return 1, fmt.Errorf("list migrations: %w", err)
	}
	for _, name := range names {
		text, err := fs.ReadFile(migrations, name)
		if err != nil {
			return 1, fmt.Errorf("read %s: %w", name, err)
		}
		_, _ = fmt.Fprintf(out, "-- %s\n", name)
		for _, statement := range schemas.Statements(string(text)) {
			_, _ = fmt.Fprintf(out, "%s;\n\n", statement)
		}
	}
	return 0, nil
}

func status(ctx context.Context, m *schemas.Migrator, out io.Writer) (int, error) {
	pending, err := m.Pending(ctx)
	if err != nil {
		return 1, err
	}
	for _, name := range pending {
		_, _ = fmt.Fprintf(out, "pending %s\n", name)
	}
	code, err := printVersion(ctx, m, out)
	if len(pending) > 0 {
		code = 1
	}
	return code, err
}

func printVersion(ctx context.Context, m *schemas.Migrator, out io.Writer) (int, error) {
	version, err := m.Version(ctx)
	if err != nil {
		return 1, err
	}
	_, _ = fmt.Fprintf(out, "schema version %d\n", version)
	return 0, nil
}
