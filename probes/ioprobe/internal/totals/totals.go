// SPDX-License-Identifier: Apache-2.0

// Package totals adds the kernel's histograms up by device, operation and process name. A counter must
// never fall: what ended processes did stays in the sums after their entries have left the kernel.
package totals

import (
	"fmt"

	"tailrace.dev/probes/ioprobe/internal/device"
	"tailrace.dev/probes/ioprobe/internal/kernel"
	"tailrace.dev/probes/ioprobe/internal/process"
)

// Key names one series.
type Key struct {
	Device  string // "" where the file system does not report it
	Op      kernel.Op
	Process string
}

// Histogram counts per log2 slot and the sum of all durations.
type Histogram struct {
	Counts [kernel.Slots]uint64
	SumNs  uint64
}

// Source is what totals are made from; *kernel.Probe is one.
type Source interface {
	Read() (samples []kernel.Sample, dropped uint64, err error)
	Forget(s kernel.Sample) (last kernel.Sample, found bool)
}

// Totals keeps what ended processes left behind.
type Totals struct {
	source    Source
	devices   *device.Names
	processes *process.Names
	ended     map[Key]Histogram
}

// New totals over a source.
func New(source Source, devices *device.Names, processes *process.Names) *Totals {
	return &Totals{source: source, devices: devices, processes: processes, ended: map[Key]Histogram{}}
}

// Collect returns all series as they are now, and how many events the kernel had no room for.
// Not safe for concurrent use.
func (t *Totals) Collect() (series map[Key]Histogram, dropped uint64, err error) {
	samples, dropped, err := t.source.Read()
	if err != nil {
		return nil, 0, fmt.Errorf("collecting: %w", err)
	}
	series = make(map[Key]Histogram, len(t.ended)+len(samples))
	gone := map[uint32]bool{}
	for _, s := range samples {
		name, alive := t.processes.Name(s.Process, s.Comm)
		k := Key{Device: t.devices.Name(s.Device), Op: s.Op, Process: name}
		if alive {
			series[k] = series[k].plus(s)
			continue
		}
		gone[s.Process] = true
		if last, found := t.source.Forget(s); found {
			t.ended[k] = t.ended[k].plus(last)
		}
	}
	for pid := range gone {
		t.processes.Forget(pid)
	}
	for k, h := range t.ended {
		series[k] = series[k].plus(kernel.Sample{Counts: h.Counts, SumNs: h.SumNs})
	}
	return series, dropped, nil
}

func (h Histogram) plus(s kernel.Sample) Histogram {
	for i, n := range s.Counts {
		h.Counts[i] += n
	}
	h.SumNs += s.SumNs
	return h
}
