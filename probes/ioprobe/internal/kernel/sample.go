// SPDX-License-Identifier: Apache-2.0

// Package kernel loads the eBPF programs, reports what this kernel refuses, and reads their maps.
package kernel

import "bytes"

// Slots is the number of log2 buckets: slot i counts [2^i, 2^(i+1)) µs, slot 0 also what is faster,
// the last one everything slower.
const Slots = 27

// Op is what was timed. The numbers are shared with bpf/ioprobe.bpf.c.
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

// Layouts of the maps' keys and values, as in bpf/ioprobe.bpf.c.
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
