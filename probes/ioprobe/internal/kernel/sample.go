// SPDX-License-Identifier: Apache-2.0

// Package kernel loads the eBPF programs, reports what this kernel refuses, and reads their maps.
package kernel

import (
	"bytes"
	"fmt"
)

// Slots is the number of log2 buckets: slot i counts [2^i, 2^(i+1)) µs, slot 0 also what is faster,
// the last one everything slower.
const Slots = 27

// Op is what was timed. The numbers are shared with bpf/source/ioprobe.bpf.c.
type Op uint32

// The operations.
const (
	Fsync          Op = 1
	Fdatasync      Op = 2
	Msync          Op = 3
	FilesystemSync Op = 4
	UntimedSync    Op = 5
	Read           Op = 6
	Write          Op = 7
	Discard        Op = 8
	OtherRequest   Op = 9
)

// Sample is one histogram since the start of the program.
type Sample struct {
	Device  Device
	Process uint32 // process id of the thread group; 0 is the kernel itself
	Op      Op
	Comm    string // name of the first thread seen, for processes that are gone
	Counts  [Slots]uint64
	SumNs   uint64
}

// Device is a device number as the kernel keeps it: major << 20 | minor; 0 is unknown.
type Device uint32

// Major of the device number.
func (d Device) Major() uint32 { return uint32(d) >> 20 }

// Minor of the device number.
func (d Device) Minor() uint32 { return uint32(d) & (1<<20 - 1) }

// Layouts of the maps' keys and values, as in bpf/source/ioprobe.bpf.c.
type key struct {
	Device  Device
	Process uint32
	Op      Op
}

type value struct {
	Counts [Slots]uint64
	SumNs  uint64
	Comm   [16]byte
}

func (v *value) comm() string {
	name, _, _ := bytes.Cut(v.Comm[:], []byte{0})
	return string(name)
}

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
