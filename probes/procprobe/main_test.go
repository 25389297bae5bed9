// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/prometheus/procfs"

	"tailrace.dev/probes/internal/metricspage"
	"tailrace.dev/probes/procprobe/internal/groups"
	"tailrace.dev/probes/procprobe/internal/pressure"
)

func newExporter(t *testing.T, folder string, log *bytes.Buffer) *exporter {
	t.Helper()
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		t.Fatal(err)
	}
	return &exporter{
		groups:    groups.New(fs, nil, "", time.Now),
		pressures: []pressure.Source{{Group: "broker", Folder: folder}},
		log:       slog.New(slog.NewTextHandler(log, nil)), logged: map[string]bool{},
	}
}

const line = "some avg10=0.00 avg60=0.00 avg300=0.00 total=2500000\n"

func TestPressureComesAndGoesWithTheGroup(t *testing.T) {
	folder := t.TempDir()
	var log bytes.Buffer
	e := newExporter(t, folder, &log)
	missing := `
# HELP procprobe_pressure_up 1 when the control group's pressure can be read; 0 where the group could not be made.
# TYPE procprobe_pressure_up gauge
procprobe_pressure_up{group="broker"} 0
`
	for range 3 {
		if err := testutil.CollectAndCompare(e, strings.NewReader(missing)); err != nil {
			t.Error(err)
		}
	}
	if n := strings.Count(log.String(), "no pressure files of the group"); n != 1 {
		t.Errorf("logged %d times, want once: %s", n, &log)
	}
	if err := os.Mkdir(filepath.Join(folder, "pressure"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, resource := range []string{"cpu", "io", "memory"} {
		if err := os.WriteFile(filepath.Join(folder, "pressure", resource), []byte(line), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	present := `
# HELP procprobe_pressure_seconds_total Time in which some or all tasks of the control group waited for the resource.
# TYPE procprobe_pressure_seconds_total counter
procprobe_pressure_seconds_total{extent="some",group="broker",resource="cpu"} 2.5
procprobe_pressure_seconds_total{extent="some",group="broker",resource="io"} 2.5
procprobe_pressure_seconds_total{extent="some",group="broker",resource="memory"} 2.5
`
	if err := testutil.CollectAndCompare(e, strings.NewReader(present), "procprobe_pressure_seconds_total"); err != nil {
		t.Error(err)
	}
}

func TestWrongArgumentsAreOneLine(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"rule":     {[]string{"--process", "broker"}, `"broker" is not GROUP=PATTERN`},
		"pressure": {[]string{"--pressure", "broker="}, `"broker=" is not GROUP=FOLDER`},
		"argument": {[]string{"more"}, `unexpected argument "more"`},
		"listen":   {[]string{"--listen", "nowhere:x"}, "Choose another --listen"},
	} {
		t.Run(name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			code := run(c.args, &stdout, &stderr)
			if code != metricspage.ExitBadInput || !strings.Contains(stderr.String(), c.want) || strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("exit code %d, %q", code, &stderr)
			}
		})
	}
}
