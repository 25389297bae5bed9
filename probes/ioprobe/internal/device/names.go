// SPDX-License-Identifier: Apache-2.0

// Package device turns device numbers into the names that node_exporter uses for the same drives.
package device

import (
	"fmt"
	"os"
	"path/filepath"

	"tailrace.dev/probes/ioprobe/internal/kernel"
)

// Names looks devices up in sysfs and remembers them.
type Names struct {
	sys   string
	known map[kernel.Device]string
}

// NewNames reads below a sysfs mount, usually /sys.
func NewNames(sys string) *Names {
	return &Names{sys: sys, known: map[kernel.Device]string{}}
}

// Name returns the device's name ("nvme0n1", "dm-0"), for a partition its drive's ("sda" for sda1), "" for device 0, or
// MAJOR:MINOR where sysfs does not know it. Fsyncs carry the file system's device, I/O requests the drive: only
// the drive's name joins them, and it is the name in a run's manifest.
func (n *Names) Name(d kernel.Device) string {
	if d == 0 {
		return ""
	}
	if name, found := n.known[d]; found {
		return name
	}
	number := fmt.Sprintf("%d:%d", d.Major(), d.Minor())
	link := filepath.Join(n.sys, "dev", "block", number)
	target, err := os.Readlink(link)
	if err != nil {
		return number // not remembered: a device that is being added is there a moment later
	}
	// The kernel puts a partition's folder, which has a file "partition", into its drive's.
	if _, err := os.Stat(filepath.Join(link, "partition")); err == nil {
		target = filepath.Dir(target)
	}
	name := filepath.Base(target)
	n.known[d] = name
	return name
}
