// SPDX-License-Identifier: Apache-2.0

package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// options are what the command line and the environment say.
type options struct {
	listen, data, lib string
	maxMemory         int64
	user, password    string
	logLevel          slog.Level
}

const usage = `tailrace-warehouse: ClickHouse in one process, over ClickHouse's HTTP interface.

Usage:
  tailrace-warehouse --data DIR --lib PATH/libchdb.so [--listen ADDRESS] [--max-memory SIZE] [--log-level LEVEL]

Flags:
  --data DIR          directory of tables; made when missing; one process at a time
  --lib PATH          the engine, libchdb.so
  --listen ADDRESS    address to serve (default 127.0.0.1:8123)
  --max-memory SIZE   most memory the engine takes, such as 1500MiB or 4GiB (default 1500MiB)
  --log-level LEVEL   debug, info, warn or error (default info)

Environment:
  WAREHOUSE_USER      the one user's name
  WAREHOUSE_PASSWORD  and password; both are required

An INSERT is answered when its rows are committed: they survive the death of this process. They are not
forced to the drive one by one: a power loss or a kernel crash may cost the rows of the last half minute
or so. ALTER TABLE … MODIFY SETTING fsync_after_insert = 1 buys more for a table, at about three times the
latency of an INSERT.

Exit codes: 0 stopped by SIGINT or SIGTERM after running inserts were committed; 1 failed while running;
2 could not start.

Examples:
  export WAREHOUSE_USER=me WAREHOUSE_PASSWORD="$(openssl rand -hex 16)"
  tailrace-warehouse --data ./tables --lib ./libchdb.so --listen 127.0.0.1:8123
  curl -u "$WAREHOUSE_USER:$WAREHOUSE_PASSWORD" 'http://127.0.0.1:8123/?query=SELECT+version()'
  curl -u "$WAREHOUSE_USER:$WAREHOUSE_PASSWORD" 'http://127.0.0.1:8123/?param_n=3' -d 'SELECT {n:UInt8} FORMAT JSON'
`

func parse(args []string, stdout io.Writer) (*options, error) {
	o := &options{user: os.Getenv("WAREHOUSE_USER"), password: os.Getenv("WAREHOUSE_PASSWORD")}
	flags := flag.NewFlagSet("tailrace-warehouse", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.listen, "listen", "127.0.0.1:8123", "")
	flags.StringVar(&o.data, "data", "", "")
	flags.StringVar(&o.lib, "lib", "", "")
	memory := flags.String("max-memory", "1500MiB", "")
	level := flags.String("log-level", "info", "")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			_, _ = fmt.Fprint(stdout, usage)
			return nil, err
		}
		return nil, fmt.Errorf("%w. See --help", err)
	}
	var err error
	if o.maxMemory, err = parseSize(*memory); err != nil {
		return nil, fmt.Errorf("--max-memory: %w", err)
	}
	if err := o.logLevel.UnmarshalText([]byte(*level)); err != nil {
		return nil, fmt.Errorf("--log-level: %q is not debug, info, warn or error", *level)
	}
	return o, o.check(flags.Args())
}

func (o *options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q. See --help", rest[0])
	case o.data == "":
		return errors.New("--data is missing: name the directory of tables")
	case o.lib == "":
		return errors.New("--lib is missing: name the path of libchdb.so")
	case o.user == "" || o.password == "":
		return errors.New("WAREHOUSE_USER and WAREHOUSE_PASSWORD must be set: the warehouse serves nobody without a password")
	}
	if _, err := os.Stat(o.lib); err != nil {
		return fmt.Errorf("--lib: %w. `make setup` fetches the engine", err)
	}
	// Without a slash the loader would look in the system's folders instead.
	var err error
	o.lib, err = filepath.Abs(o.lib)
	return err
}

// smallest is the least memory the engine works with.
const smallest = 256 << 20

// parseSize reads 1500MiB, 4GiB or a plain number of bytes.
func parseSize(text string) (int64, error) {
	number, unit := text, int64(1)
	for suffix, factor := range map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30} {
		if head, ok := strings.CutSuffix(text, suffix); ok {
			number, unit = head, factor
		}
	}
	value, err := strconv.ParseInt(strings.TrimSpace(number), 10, 64)
	if err != nil || value <= 0 || value > math.MaxInt64/unit {
		return 0, fmt.Errorf("%q is not a size such as 1500MiB or 4GiB", text)
	}
	if value*unit < smallest {
		return 0, fmt.Errorf("%s is too little: the engine needs at least 256MiB", text)
	}
	return value * unit, nil
}
