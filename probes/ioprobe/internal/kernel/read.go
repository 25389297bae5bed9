// SPDX-License-Identifier: Apache-2.0

package kernel

import (
	"fmt"
)

// Read returns every histogram, and how many events found no room in the kernel's table.
func (p *Probe) Read() (samples []Sample, dropped uint64, err error) {
	if p.histograms == nil {
		return nil, 0, nil
	}
	var (
		k key
		v value
	)
	entries := p.histograms.Iterate()
	for entries.Next(&k, &v) {
		samples = append(samples, Sample{
			Device: k.Device, Process: k.Process, Op: k.Op, Comm: v.comm(), Counts: v.Counts, SumNs: v.SumNs,
		})
	}
	if err := entries.Err(); err != nil {
		return nil, 0, fmt.Errorf("reading the kernel's histograms: %w", err)
	}
	if err := p.dropped.Lookup(uint32(0), &dropped); err != nil {
		return nil, 0, fmt.Errorf("reading the kernel's count of dropped events: %w", err)
	}
	return samples, dropped, nil
}

// Forget removes the histogram of a process that has ended, to make room; it returns its last state,
// which may have grown since Read. found is false when it was gone already.
func (p *Probe) Forget(s Sample) (last Sample, found bool) {
	k := key{Device: s.Device, Process: s.Process, Op: s.Op}
	var v value
	if err := p.histograms.LookupAndDelete(k, &v); err != nil {
		return s, false
	}
	s.Counts, s.SumNs = v.Counts, v.SumNs
	return s, true
}
