// SPDX-License-Identifier: Apache-2.0

package main

import (
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"tailrace.dev/warehouse/internal/bytesize"
	"tailrace.dev/warehouse/internal/users"
)

// options are read from the command line and the environment.
type options struct {
	listen, data, lib string
	tlsCert, tlsKey   string
	maxMemory         int64
	maxAnswer         int64
	users             users.List
	acceptDamage      bool
	fsync             bool
	logLevel          slog.Level
}

//go:embed usage.txt
var usage string

func parse(args []string, stdout io.Writer) (*options, error) {
	o := &options{}
	flags := flag.NewFlagSet("tailrace-warehouse", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.StringVar(&o.listen, "listen", "127.0.0.1:8123", "")
	flags.StringVar(&o.data, "data", "", "")
	flags.StringVar(&o.lib, "lib", "", "")
	memory := flags.String("max-memory", "1500MiB", "")
	answer := flags.String("max-answer", "4GiB", "")
	usersFile := flags.String("users", "", "")
	flags.StringVar(&o.tlsCert, "tls-cert", "", "")
	flags.StringVar(&o.tlsKey, "tls-key", "", "")
	durability := flags.String("durability", "none", "")
	flags.BoolVar(&o.acceptDamage, "accept-damage", false, "")
	level := flags.String("log-level", "info", "")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			_, _ = fmt.Fprint(stdout, usage)
			return nil, err
		}
		return nil, fmt.Errorf("%w. See --help", err)
	}
	var err error
	if o.maxMemory, err = bytesize.Parse(*memory); err != nil {
		return nil, fmt.Errorf("--max-memory: %w", err)
	}
	if o.maxMemory < smallest {
		return nil, fmt.Errorf("--max-memory: %s is too little: the engine needs at least 256MiB", *memory)
	}
	if o.maxAnswer, err = bytesize.Parse(*answer); err != nil {
		return nil, fmt.Errorf("--max-answer: %w", err)
	}
	if o.fsync = *durability == "fsync"; !o.fsync && *durability != "none" {
		return nil, fmt.Errorf("--durability: %q is not none or fsync", *durability)
	}
	if err := o.logLevel.UnmarshalText([]byte(*level)); err != nil {
		return nil, fmt.Errorf("--log-level: %q is not debug, info, warn or error", *level)
	}
	if err := o.check(flags.Args()); err != nil {
		return nil, err
	}
	return o, o.readUsers(*usersFile, os.Getenv("WAREHOUSE_USER"), os.Getenv("WAREHOUSE_PASSWORD"))
}

// readUsers reads the user of the environment and those of the file.
func (o *options) readUsers(file, name, password string) error {
	if file != "" {
		var err error
		if o.users, err = users.Load(file); err != nil {
			return fmt.Errorf("--users: %w", err)
		}
	}
	switch {
	case name != "" && password != "":
		o.users = append(o.users, users.New(name, password))
	case name != "" || password != "" || file == "":
		return errors.New("WAREHOUSE_USER and WAREHOUSE_PASSWORD must be set: the warehouse requires a user with a password")
	}
	if slices.ContainsFunc(o.users[:len(o.users)-1], func(u users.User) bool { return u.Name == name }) {
		return fmt.Errorf("--users: user %s is also in WAREHOUSE_USER. Remove it from one of the two", name)
	}
	return nil
}

func (o *options) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q. See --help", rest[0])
	case o.data == "":
		return errors.New("--data is missing: give the directory of tables")
	case (o.tlsCert == "") != (o.tlsKey == ""):
		return errors.New("--tls-cert, --tls-key: give both, or neither for http")
	case o.lib == "":
		return errors.New("--lib is missing: give the path of libchdb.so")
	}
	if _, err := os.Stat(o.lib); err != nil {
		return fmt.Errorf("--lib: %w. `make setup` fetches the engine", err)
	}
	// Without a slash the loader would search the system's folders instead.
	var err error
	o.lib, err = filepath.Abs(o.lib)
	return err
}

// smallest is the smallest memory limit that the engine works with, bytes.
const smallest = 256 << 20
